/** A second look at a stored run: how good it was, what its trajectories show, and what another reward would say. */
import { EngineError } from "../../base/index.ts";
import {
  applyRubrics,
  comparePolicies,
  profile,
  rescoreTrajectories,
  rubrics,
  type Rescoring,
} from "../../eval/index.ts";
import { getReward } from "../../reward/index.ts";
import type { Store } from "../../store/store.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { parseOptionTexts, readValue } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { findRun, withStore } from "../with-store.ts";
import { sayComparison } from "./say-comparison.ts";
import { sayProfiles, type NamedProfile } from "./say-profiles.ts";
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
    const trajectories = await readRun(store, run);
    const other = invocation.text("against");
    if (other !== undefined) {
      const against = (await findRun(store, other)).id;
      compare(invocation, { name: run, trajectories }, { name: against, trajectories: await readRun(store, against) });
    } else if (reward === undefined && !invocation.flag("rubrics")) summary(invocation, run, trajectories);
    if (invocation.flag("rubrics")) sayRubrics(invocation, applyRubrics(Object.values(rubrics), trajectories));
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

interface Held {
  readonly name: string;
  readonly trajectories: readonly Trajectory[];
}

/** An evaluation of two policies holds both sides; every other run is one. */
function summary(invocation: Invocation, run: string, trajectories: readonly Trajectory[]): void {
  const side = (wanted: string): Trajectory[] => trajectories.filter(({ info }) => info?.["side"] === wanted);
  const [own, against] = [side("policy"), side("against")];
  if (own.length > 0 && against.length > 0) {
    const name = (held: readonly Trajectory[]): string => held[0]?.policy.name ?? "";
    compare(invocation, { name: name(own), trajectories: own }, { name: name(against), trajectories: against });
  } else sayProfiles(invocation, [named("policy", { name: run, trajectories })]);
}

function compare(invocation: Invocation, left: Held, right: Held): void {
  const comparison = comparePolicies(left.trajectories, right.trajectories);
  sayProfiles(invocation, [named("policy", left), named("against", right)]);
  sayComparison(invocation, comparison, left.name, right.name);
}

function named(side: NamedProfile["side"], { name, trajectories }: Held): NamedProfile {
  return { side, name, profile: profile(trajectories) };
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
  const set = parseOptionTexts(invocation, "reward-set").map(([name, text]) => [name, readValue(text)] as const);
  const rescoring = await rescoreTrajectories(method, trajectories, { options: Object.fromEntries(set) });
  if (kept) await keep(store, run, rescoring);
  sayRescoring(invocation, rescoring, kept);
}

async function keep(store: Store, run: string, { trajectories }: Rescoring): Promise<void> {
  const writer = await store.openRun(run);
  for (const { id, rewards } of trajectories) for (const reward of rewards) await writer.addReward(id, reward);
  await writer.close();
}
