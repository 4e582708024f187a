/** A second look at a stored run: how good it was, what its trajectories show, and what another reward would say. */
import { EngineError } from "../../base/index.ts";
import { comparePolicies, profileOf, rescoreTrajectories, type Rescoring } from "../../eval/index.ts";
import { getReward } from "../../reward/index.ts";
import type { Store } from "../../store/store.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { givenValues } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { findRun, withStore } from "../with-store.ts";
import { sayComparison } from "./say-comparison.ts";
import { sayProfiles, type Side } from "./say-profiles.ts";
import { sayRescoring } from "./say-rescoring.ts";
import { sayRubrics } from "./say-rubrics.ts";

export function lookAtRun(invocation: Invocation, wanted: string): Promise<number> {
  const started = invocation.io.now();
  const reward = invocation.text("reward");
  if (reward === undefined && (invocation.flag("keep") || invocation.texts("reward-set").length > 0)) {
    throw usageError("--keep and --reward-set need --reward NAME; docs/rewards.md lists the rewards.");
  }
  return withStore(invocation.storeRoot, async (store) => {
    const run = (await findRun(store, wanted)).id;
    const trajectories = ofPhase(await readRun(store, run), run, invocation.text("phase"));
    const other = invocation.text("against");
    const against = other === undefined ? undefined : (await findRun(store, other)).id;
    const sides =
      against === undefined
        ? sidesOf(run, trajectories)
        : [
            { side: "policy" as const, name: run, trajectories },
            {
              side: "against" as const,
              name: against,
              trajectories: ofPhase(await readRun(store, against), against, invocation.text("phase")),
            },
          ];
    const asked = reward !== undefined || invocation.flag("rubrics");
    if (against !== undefined || !asked) saySides(invocation, sides);
    if (invocation.flag("rubrics")) for (const side of sides) sayRubrics(invocation, side);
    if (reward !== undefined) await rescoreRun(invocation, store, run, reward, trajectories);
    const durationMs = Math.round(invocation.io.now() - started);
    if (invocation.json) invocation.printJson({ event: "end", run, complete: true, durationMs });
    return EXIT.done;
  });
}

async function readRun(store: Store, run: string): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  for await (const trajectory of store.trajectories({ run })) trajectories.push(trajectory);
  if (trajectories.length > 0) return trajectories;
  throw new EngineError("no-run", `Run "${run}" holds no trajectories to look at.`, { details: { run } });
}

const ALL = "all";

/** A training holds episodes of several kinds, and one figure over all of them would be nobody's. */
function ofPhase(trajectories: readonly Trajectory[], run: string, phase: string | undefined): readonly Trajectory[] {
  const counted = new Map<string, number>();
  for (const one of trajectories) counted.set(phaseOf(one), (counted.get(phaseOf(one)) ?? 0) + 1);
  if (phase === ALL || (phase === undefined && counted.size <= 1)) return trajectories;
  if (phase !== undefined && counted.has(phase)) return trajectories.filter((one) => phaseOf(one) === phase);
  const known = [...counted].map(([name, episodes]) => `${name} (${episodes})`).join(", ");
  const asked = phase === undefined ? `Run "${run}" holds several phases` : `Run "${run}" has no phase "${phase}"`;
  throw usageError(`${asked}: ${known}. Say which with --phase NAME, or --phase ${ALL}.`);
}

/** "before", "validation", "after" or "probe"; what a training learned from has no name of its own. */
function phaseOf({ info }: Trajectory): string {
  const phase = info?.["phase"];
  return typeof phase === "string" ? phase : "training";
}

interface Held {
  readonly side: Side;
  readonly name: string;
  readonly trajectories: readonly Trajectory[];
}

/** An evaluation of two policies holds both sides; every other run is one. */
function sidesOf(run: string, trajectories: readonly Trajectory[]): Held[] {
  const sides = (["policy", "against"] as const).map((side) => {
    const own = trajectories.filter(({ info }) => info?.["side"] === side);
    return { side, name: own[0]?.policy.name ?? "", trajectories: own };
  });
  return sides.every((side) => side.trajectories.length > 0) ? sides : [{ side: "policy", name: run, trajectories }];
}

function saySides(invocation: Invocation, sides: readonly Held[]): void {
  const [left, right] = sides;
  // First, so that runs without a common task are refused before anything is printed.
  const comparison =
    left === undefined || right === undefined ? undefined : comparePolicies(left.trajectories, right.trajectories);
  sayProfiles(
    invocation,
    sides.map(({ side, name, trajectories }) => ({ side, name, profile: profileOf(trajectories) })),
  );
  if (comparison !== undefined) sayComparison(invocation, comparison, left?.name ?? "", right?.name ?? "");
}

async function rescoreRun(
  invocation: Invocation,
  store: Store,
  run: string,
  reward: string,
  trajectories: readonly Trajectory[],
): Promise<void> {
  const method = getReward(reward);
  if (method.needs.length > 0) {
    throw usageError(
      `The reward ${reward} needs ${method.needs.join(" and ")}, which only a program can give: call rescoreTrajectories() with it.`,
    );
  }
  const kept = invocation.flag("keep");
  const source = `reward:${method.id}`;
  if (kept && trajectories.some(({ rewards }) => rewards.some((one) => one.name === reward && one.source === source))) {
    throw new EngineError("target-exists", `Run "${run}" already holds scores of ${reward}; the store only appends.`);
  }
  const options = givenValues(invocation, "reward-set");
  const rescoring = await rescoreTrajectories(method, trajectories, { options });
  if (kept) await keep(store, run, rescoring);
  sayRescoring(invocation, rescoring, kept);
}

async function keep(store: Store, run: string, { trajectories }: Rescoring): Promise<void> {
  const writer = await store.openRun(run, { beside: true });
  for (const { id, rewards } of trajectories) for (const reward of rewards) await writer.addReward(id, reward);
  await writer.close();
}
