/** One or two policies play the tasks, a run keeps the episodes, and their profiles are compared. */
import { EngineError, usageError } from "limbeck-base/base/errors";
import { sum } from "limbeck-base/base/statistics/summary";
import { comparePolicies } from "limbeck-core/eval/compare";
import { figureOf } from "limbeck-core/eval/evaluate";
import { profileOf, type Profile } from "limbeck-core/eval/profile";
import type { RewardPlan } from "limbeck-core/reward/plan";
import type { RunWriter } from "limbeck-store/store/store";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { isLeftOut } from "limbeck-base/trajectory/tally";
import { createDeadline, type Deadline } from "limbeck-core/update/deadline";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { OpenedAgent } from "./agent.ts";
import { evaluate, type Evaluated } from "./evaluate.ts";
import type { EvalContext, EvalInput, Side } from "./eval.inputs.ts";
import { givenAgent, givenTasks, givenWorld, placeOf, type GivenWorld } from "./given-parts.ts";
import { givenRewards } from "./given-rewards.ts";
import { givenSearch } from "./given-search.ts";
import { showProfiles, showRubrics } from "./look-at-run.ts";
import type { OpenedSearch } from "./search-plan.ts";
import { withRun } from "limbeck-store/store/with-run";

interface PlannedSide {
  readonly side: Side;
  /** As it was named. */
  readonly name: string;
  readonly chosen: OpenedAgent;
}

interface Plan extends GivenWorld {
  readonly input: EvalInput;
  readonly tasks: readonly Task[];
  readonly sides: readonly PlannedSide[];
  readonly reference: string | undefined;
  /** Of all of it. */
  readonly deadline: Deadline | undefined;
  /** In the place of the world's own. */
  readonly reward: RewardPlan | undefined;
  /** With which --policy chooses its actions; --against always plays without. */
  readonly search: OpenedSearch | undefined;
}

export async function playSides(input: EvalInput, context: EvalContext): Promise<void> {
  const plan = await planned(input, context);
  context.show.place(placeOf(plan, plan.tasks), plan.tasks.length);
  let stored = 0;
  try {
    await withRun(context, {
      place: { root: context.store, id: input.into },
      begin: { kind: "eval", config: configOf(plan) },
      collect: async (writer) => {
        const played: Evaluated[] = [];
        for (const side of plan.sides) {
          played.push(await playSide(context, plan, side, writer, () => (stored += 1)));
        }
        await judge(context, plan, writer, played);
      },
      stored: () => stored,
      say: (end) => {
        context.emit({ event: "end", run: end.run, complete: end.fault === undefined, durationMs: end.durationMs });
        context.show.end(stored, end);
      },
    });
  } finally {
    for (const { chosen } of plan.sides) await chosen.close();
    await plan.search?.close();
  }
}

async function planned(input: EvalInput, context: EvalContext): Promise<Plan> {
  const given = await givenWorld("eval", input, context);
  const tasks = await givenTasks(given.env, "evaluate", { ...input, signal: context.signal });
  const { against } = input;
  const reference = referenceOf(input.reference, given);
  const name = input.policy ?? input.model ?? "";
  const place = { command: "eval", world: given.world, env: given.id };
  const reward = await givenRewards({ rewards: input.rewards }, context);
  const search = input.search === undefined ? undefined : await givenSearch(input.search, input, context);
  const chosen = await givenAgent(name, input, place, context);
  try {
    const shown = search === undefined ? name : `${name}, ${input.search}`;
    const sides: PlannedSide[] = [{ side: "policy", name: shown, chosen }];
    if (against !== undefined) {
      sides.push({ side: "against", name: against, chosen: await givenAgent(against, input, place, context) });
    }
    const deadline = createDeadline(input.budget, context.now);
    return { ...given, input, tasks, sides, reference, reward, search, deadline };
  } catch (error) {
    await chosen.close();
    throw error;
  }
}

/** The scripted agent whose steps are the measure; the world's first one is its expert. */
function referenceOf(asked: string | undefined, { id, world }: GivenWorld): string | undefined {
  const scripts = Object.keys(world.demonstrators ?? {});
  if (asked === undefined) return scripts[0];
  if (asked === "none") return undefined;
  if (scripts.includes(asked)) return asked;
  throw usageError(`--reference ${asked}: ${id} has no such scripted agent; it has ${scripts.join(", ") || "none"}.`);
}

function configOf({
  id,
  options,
  tasks,
  input: { seed, samples },
  sides,
  reference,
  reward,
  search,
}: Plan): JsonObject {
  return {
    env: id,
    envOptions: options,
    split: tasks[0]?.split ?? null,
    tasks: tasks.length,
    samples,
    seed,
    reference: reference ?? null,
    ...(reward === undefined ? {} : { reward: JSON.parse(JSON.stringify(reward)) as JsonObject }),
    ...(search === undefined ? {} : { search: search.config }),
    ...Object.fromEntries(sides.map(({ side, name, chosen }) => [side, { given: name, ...chosen.agent.ref }])),
  };
}

/** Both sides have the same seed, so that what is drawn alike is the same. */
async function playSide(
  { progress, signal, now, note }: EvalContext,
  { env, tasks, input, sides, reward, search, deadline }: Plan,
  { side, name, chosen: { agent } }: PlannedSide,
  writer: RunWriter,
  onStored: () => void,
): Promise<Evaluated> {
  const { seed, samples, concurrency, maxSteps } = input;
  const bar = progress({ label: `Evaluating ${name}`, total: tasks.length * samples });
  try {
    const found = await evaluate({
      env,
      policy: agent,
      tasks,
      seed,
      samples,
      reward,
      search: side === "policy" ? search?.plan : undefined,
      budget: { seconds: deadline?.left() },
      now: deadline === undefined ? undefined : now,
      prefix: sides.length === 1 ? undefined : `${side}/`,
      concurrency,
      maxSteps,
      signal,
      sink: {
        append: async (trajectory: Trajectory) => {
          await writer.append({ ...trajectory, info: { ...trajectory.info, side } });
          onStored();
        },
      },
      onEvent: ({ done }) => bar.update(done),
    });
    const harm = sum(found.searches.map((one) => one.harm));
    const actions = harm === 1 ? "irreversible action" : "irreversible actions";
    if (harm > 0) note(`${harm.toLocaleString("en-GB")} ${actions} beside the lines that the searches chose.`);
    return found;
  } finally {
    bar.end();
  }
}

async function judge(context: EvalContext, plan: Plan, writer: RunWriter, played: readonly Evaluated[]): Promise<void> {
  const reference = await referenceSteps(context, plan);
  const profiles = played.map(({ trajectories, spent, asked }, index) => ({
    side: plan.sides[index]?.side ?? "policy",
    name: plan.sides[index]?.name ?? "",
    profile: profileOf(reached(trajectories), { reference, seconds: spent.seconds }),
    asked,
  }));
  await keep(writer, profiles);
  showProfiles(context, profiles, { reference: plan.reference, place: placeOf(plan, plan.tasks) });
  // What was played is stored and reported; a side with too few episodes cannot be judged, and that is no success.
  for (const [index, evaluation] of played.entries()) {
    const name = plan.sides[index]?.name ?? "";
    if (plan.deadline !== undefined && evaluation.tasks === 0) throw nothingSeen(name, plan.deadline);
    figureOf(evaluation, name);
  }
  const [left, right] = played;
  if (left !== undefined && right !== undefined) {
    const comparison = comparePolicies(reached(left.trajectories), reached(right.trajectories));
    // Plain data, and what is not a number becomes null.
    await writer.addEvent("comparison", JSON.parse(JSON.stringify(comparison)) as JsonObject);
    context.emit({ event: "comparison", ...comparison });
    context.show.comparison(comparison, profiles[0]?.name ?? "", profiles[1]?.name ?? "");
  }
  if (!plan.input.rubrics) return;
  for (const [index, { trajectories }] of played.entries()) {
    showRubrics(context, {
      side: plan.sides[index]?.side ?? "policy",
      name: plan.sides[index]?.name ?? "",
      trajectories: reached(trajectories),
    });
  }
}

/** What was stopped when the time was up says nothing of the policy. */
function reached(trajectories: readonly Trajectory[]): readonly Trajectory[] {
  return trajectories.filter((trajectory) => !isLeftOut(trajectory));
}

function nothingSeen(name: string, { seconds }: Deadline): EngineError {
  return new EngineError(
    "budget",
    `The budget of ${seconds} seconds was spent before an episode of ${name} was over, so there is no figure. Raise --budget.`,
  );
}

/** Steps in which the reference solves each task. A script costs nothing but the world's time. */
async function referenceSteps({ signal }: EvalContext, plan: Plan): Promise<Map<string, number>> {
  const script = plan.reference === undefined ? undefined : plan.world.demonstrators?.[plan.reference];
  if (script === undefined) return new Map();
  const {
    env,
    tasks,
    input: { seed },
  } = plan;
  const { trajectories } = await evaluate({ env, tasks, seed, policy: createDemonstratorAgent(script), signal });
  return new Map(
    trajectories.flatMap(({ task, steps, success }) => (success === true ? [[task.id, steps.length] as const] : [])),
  );
}

async function keep(
  writer: RunWriter,
  profiles: readonly { readonly side: Side; readonly profile: Profile }[],
): Promise<void> {
  for (const { side, profile: summary } of profiles) {
    await writer.addEvent("evaluation", { side, ...(JSON.parse(JSON.stringify(summary)) as JsonObject) });
    const { success, meanSteps, invalid } = summary;
    const values = { success: success.mean, successLow: success.low, successHigh: success.high, meanSteps, invalid };
    const finite = Object.entries(values).filter(([, value]) => Number.isFinite(value));
    await writer.addMetrics(0, Object.fromEntries(finite.map(([name, value]) => [`eval.${side}.${name}`, value])));
  }
}
