/** A second look at a stored run: how good it was, what its trajectories show, and what another reward would say. */
import { EngineError, usageError } from "limbeck-base/base/errors";
import { applyRubrics } from "limbeck-core/eval/rubrics/apply-rubrics";
import { comparePolicies } from "limbeck-core/eval/compare";
import { profileOf } from "limbeck-core/eval/profile";
import { rescoreTrajectories, type Rescoring } from "limbeck-core/eval/rescore-trajectories";
import { rubrics } from "limbeck-core/eval/rubrics/index";
import { getReward } from "limbeck-core/reward/registry";
import { findRun } from "limbeck-store/store/find-run";
import { openStore } from "limbeck-store/store/open-store";
import type { Store } from "limbeck-store/store/store";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { EvalContext, EvalInput, NamedProfile, Side } from "./eval.inputs.ts";
import type { FigurePlace } from "./given-parts.ts";

export async function lookAtRun(input: EvalInput & { readonly run: string }, context: EvalContext): Promise<void> {
  const started = context.now();
  const { reward, phase, against: other } = input;
  if (reward === undefined && (input.keep || context.given("rewardOptions"))) {
    throw usageError("--keep and --reward-set need --reward NAME; docs/lookup/generated/rewards.md lists the rewards.");
  }
  const store = openStore(context.store);
  try {
    const held = async (side: Side, wanted: string): Promise<Held> => {
      const { id } = await findRun(store, wanted);
      return { side, name: id, trajectories: ofPhase(await readRun(store, id), id, phase) };
    };
    const own = await held("policy", input.run);
    const sides = other === undefined ? sidesOf(own) : [own, await held("against", other)];
    const asked = reward !== undefined || input.rubrics;
    if (other !== undefined || !asked) showSides(context, sides);
    if (input.rubrics) for (const side of sides) showRubrics(context, side);
    if (reward !== undefined)
      await rescoreRun(input, reward, { context, store, run: own.name, trajectories: own.trajectories });
    context.emit({ event: "end", run: own.name, complete: true, durationMs: Math.round(context.now() - started) });
  } finally {
    await store.close();
  }
}

async function readRun(store: Store, run: string): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  for await (const trajectory of store.trajectories({ run })) trajectories.push(trajectory);
  if (trajectories.length > 0) return trajectories;
  throw new EngineError("no-run", `Run "${run}" holds no trajectories to look at.`, { details: { run } });
}

const ALL = "all";

/** A training holds episodes of several kinds, and one figure over all of them would mean nothing. */
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

export interface Held {
  readonly side: Side;
  readonly name: string;
  readonly trajectories: readonly Trajectory[];
}

/** An evaluation of two policies holds both sides; every other run is one. */
function sidesOf(held: Held): Held[] {
  const sides = (["policy", "against"] as const).map((side) => {
    const own = held.trajectories.filter(({ info }) => info?.["side"] === side);
    return { side, name: own[0]?.policy.name ?? "", trajectories: own };
  });
  return sides.every((side) => side.trajectories.length > 0) ? sides : [held];
}

function showSides(context: EvalContext, sides: readonly Held[]): void {
  const [left, right] = sides;
  // First, so that runs without a common task are refused before anything is printed.
  const comparison =
    left === undefined || right === undefined ? undefined : comparePolicies(left.trajectories, right.trajectories);
  showProfiles(
    context,
    sides.map(({ trajectories, ...side }) => ({ ...side, profile: profileOf(trajectories) })),
  );
  if (comparison === undefined) return;
  context.emit({ event: "comparison", ...comparison });
  context.show.comparison(comparison, left?.name ?? "", right?.name ?? "");
}

/** `place` is what was played; a stored run names its own. */
export function showProfiles(
  { emit, show }: EvalContext,
  profiles: readonly NamedProfile[],
  { place, reference }: { readonly place?: FigurePlace; readonly reference?: string | undefined } = {},
): void {
  for (const { side, name, profile, asked = profile.episodes } of profiles) {
    emit({ event: "policy", side, name, ...place, ...profile, asked });
  }
  show.profiles(profiles, reference);
}

/** Every rubric for one side; successes and failures of different policies are not thrown together. */
export function showRubrics({ emit, show }: EvalContext, { side, name, trajectories }: Held): void {
  const reports = applyRubrics(Object.values(rubrics), trajectories);
  for (const { findings, ...report } of reports) {
    const shown = findings.map(({ trajectory, finding }) => ({
      trajectory,
      shown: finding.shown,
      steps: finding.shown === null ? [] : finding.steps,
    }));
    emit({ event: "rubric", side, ...report, findings: shown });
  }
  show.rubrics(name, reports);
}

async function rescoreRun(
  { keep: kept, rewardOptions: options }: EvalInput,
  reward: string,
  {
    context,
    store,
    run,
    trajectories,
  }: Pick<Held, "trajectories"> & {
    readonly context: EvalContext;
    readonly store: Store;
    readonly run: string;
  },
): Promise<void> {
  const method = getReward(reward);
  if (method.needs.length > 0) {
    throw usageError(
      `The reward ${reward} needs ${method.needs.join(" and ")}, which only a program can give: call rescoreTrajectories() with it.`,
    );
  }
  const source = `reward:${method.id}`;
  if (kept && trajectories.some(({ rewards }) => rewards.some((one) => one.name === reward && one.source === source))) {
    throw new EngineError("target-exists", `Run "${run}" already holds scores of ${reward}; the store only appends.`);
  }
  const rescoring = await rescoreTrajectories(method, trajectories, { options });
  if (kept) await keep(store, run, rescoring);
  const { trajectories: rescored, ...summary } = rescoring;
  for (const { rewards: _rewards, ...one } of rescored) context.emit({ event: "rescored", ...one });
  context.emit({ event: "rescoring", ...summary, kept });
  context.show.rescoring(rescoring, kept);
}

async function keep(store: Store, run: string, { trajectories }: Rescoring): Promise<void> {
  const writer = await store.openRun(run, { beside: true });
  for (const { id, rewards } of trajectories) for (const reward of rewards) await writer.addReward(id, reward);
  await writer.close();
}
