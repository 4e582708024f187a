/** Evaluation from the command line: one or two policies play the tasks, a run keeps the episodes, a table says it. */
import { EngineError, sum } from "../../base/index.ts";
import { comparePolicies, figureOf, profileOf, type Profile } from "../../eval/index.ts";
import { createDemonstratorAgent } from "../../walk/index.ts";
import { DEFAULTS, evaluate, type Evaluated, type OpenedSearch } from "../../run/index.ts";
import type { RewardPlan } from "../../reward/index.ts";
import type { RunWriter } from "../../store/store.ts";
import type { JsonObject, Task, Trajectory } from "../../trajectory/index.ts";
import { isLeftOut } from "../../trajectory/tally.ts";
import { createDeadline, type Deadline } from "../../update/deadline.ts";
import type { Invocation } from "../command.ts";
import { formatDuration, plural } from "../look/units.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { chosenAgent, type ChosenAgent } from "../rollout/chosen-agent.ts";
import { givenTasks, givenWorld, placeOf, sayPlace, type GivenWorld } from "../rollout/given-world.ts";
import { givenAmounts } from "../rollout/rollout-options.ts";
import { chosenSearch } from "../search/chosen-search.ts";
import { givenRewards } from "../train/given-rewards.ts";
import { withRun, type RunEnd } from "../with-run.ts";
import { sayComparison } from "./say-comparison.ts";
import { sayProfiles, type Side } from "./say-profiles.ts";
import { sayRubrics } from "./say-rubrics.ts";

interface PlannedSide {
  readonly side: Side;
  /** As the command line names it. */
  readonly name: string;
  readonly chosen: ChosenAgent;
}

interface Plan extends GivenWorld {
  readonly tasks: readonly Task[];
  readonly seed: number;
  readonly samples: number;
  readonly sides: readonly PlannedSide[];
  readonly reference: string | undefined;
  /** Of the whole command. */
  readonly deadline: Deadline | undefined;
  /** In the place of the world's own. */
  readonly reward: RewardPlan | undefined;
  /** With which --policy chooses its actions; --against always plays without. */
  readonly search: OpenedSearch | undefined;
}

export async function playTasks(invocation: Invocation): Promise<number> {
  const plan = await planned(invocation);
  sayPlace(invocation, placeOf(plan, plan.tasks), plan.tasks.length);
  let stored = 0;
  try {
    return await withRun(invocation, {
      place: { root: invocation.storeRoot, id: invocation.text("into") },
      begin: { kind: "eval", config: configOf(plan) },
      collect: async (writer) => {
        const played: Evaluated[] = [];
        for (const side of plan.sides) {
          played.push(await playSide(invocation, plan, side, writer, () => (stored += 1)));
        }
        await say(invocation, plan, writer, played);
      },
      stored: () => stored,
      say: (end) => sayEnd(invocation, stored, end),
    });
  } finally {
    for (const { chosen } of plan.sides) await chosen.close();
    await plan.search?.close();
  }
}

async function planned(invocation: Invocation): Promise<Plan> {
  const given = await givenWorld(invocation, "eval");
  const { id: env, world } = given;
  const tasks = await givenTasks(invocation, given.env, "evaluate");
  const [seed, samples] = [
    givenCount(invocation, "seed", DEFAULTS.seed, 0),
    givenCount(invocation, "samples", DEFAULTS.samples),
  ];
  const [policy, model, against] = ["policy", "model", "against"].map((option) => invocation.text(option));
  if (policy !== undefined && model !== undefined) {
    throw usageError("--policy and --model both name who acts; the other one to compare with is --against.");
  }
  const reference = referenceOf(invocation, given);
  const name = policy ?? model ?? "";
  const place = { command: "eval", world, env };
  const reward = await givenRewards(invocation);
  const search = await chosenSearch(invocation);
  const chosen = await chosenAgent(invocation, { ...place, name });
  try {
    const shown = search === undefined ? name : `${name}, ${invocation.text("search")}`;
    const sides: PlannedSide[] = [{ side: "policy", name: shown, chosen }];
    if (against !== undefined) {
      sides.push({
        side: "against",
        name: against,
        chosen: await chosenAgent(invocation, { ...place, name: against }),
      });
    }
    const deadline = createDeadline(givenAmounts(invocation, "budget", ["seconds"], "budget"), invocation.io.now);
    return { ...given, tasks, seed, samples, sides, reference, reward, search, deadline };
  } catch (error) {
    await chosen.close();
    throw error;
  }
}

/** The scripted agent whose steps are the measure; the world's first one is its expert. */
function referenceOf(invocation: Invocation, { id, world }: GivenWorld): string | undefined {
  const scripts = Object.keys(world.demonstrators ?? {});
  const told = invocation.text("reference");
  if (told === undefined) return scripts[0];
  if (told === "none") return undefined;
  if (scripts.includes(told)) return told;
  throw usageError(`--reference ${told}: ${id} has no such scripted agent; it has ${scripts.join(", ") || "none"}.`);
}

function configOf({ id, options, tasks, seed, samples, sides, reference, reward, search }: Plan): JsonObject {
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
  invocation: Invocation,
  plan: Plan,
  { side, name, chosen: { agent } }: PlannedSide,
  writer: RunWriter,
  onStored: () => void,
): Promise<Evaluated> {
  const { env, tasks, seed, samples, sides } = plan;
  const bar = invocation.progress({ label: `Evaluating ${name}`, total: tasks.length * samples });
  try {
    const found = await evaluate({
      env,
      policy: agent,
      tasks,
      seed,
      samples,
      reward: plan.reward,
      search: side === "policy" ? plan.search?.plan : undefined,
      budget: { seconds: plan.deadline?.left() },
      now: plan.deadline === undefined ? undefined : invocation.io.now,
      prefix: sides.length === 1 ? undefined : `${side}/`,
      concurrency: maybeCount(invocation, "concurrency"),
      maxSteps: maybeCount(invocation, "max-steps"),
      signal: invocation.io.signal,
      sink: {
        append: async (trajectory: Trajectory) => {
          await writer.append({ ...trajectory, info: { ...trajectory.info, side } });
          onStored();
        },
      },
      onEvent: ({ done }) => bar.update(done),
    });
    const harm = sum(found.searches.map((one) => one.harm));
    if (harm > 0) invocation.note(`${plural(harm, "irreversible action")} beside the lines that the searches chose.`);
    return found;
  } finally {
    bar.end();
  }
}

async function say(invocation: Invocation, plan: Plan, writer: RunWriter, played: readonly Evaluated[]): Promise<void> {
  const reference = await referenceSteps(invocation, plan);
  const profiles = played.map(({ trajectories, spent, asked }, index) => ({
    side: plan.sides[index]?.side ?? "policy",
    name: plan.sides[index]?.name ?? "",
    profile: profileOf(reached(trajectories), { reference, seconds: spent.seconds }),
    asked,
  }));
  await keep(writer, profiles);
  sayProfiles(invocation, profiles, { reference: plan.reference, place: placeOf(plan, plan.tasks) });
  // What was played is stored and said; a side of which too little was seen cannot be judged, and that is no success.
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
    sayComparison(invocation, comparison, profiles[0]?.name ?? "", profiles[1]?.name ?? "");
  }
  if (!invocation.flag("rubrics")) return;
  for (const [index, { trajectories }] of played.entries()) {
    sayRubrics(invocation, {
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
async function referenceSteps(invocation: Invocation, plan: Plan): Promise<Map<string, number>> {
  const script = plan.reference === undefined ? undefined : plan.world.demonstrators?.[plan.reference];
  if (script === undefined) return new Map();
  const { env, tasks, seed } = plan;
  const { signal } = invocation.io;
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

function sayEnd(invocation: Invocation, stored: number, { run, fault, durationMs }: RunEnd): void {
  const complete = fault === undefined;
  if (invocation.json) invocation.printJson({ event: "end", run, complete, durationMs });
  if (run === null) return;
  const { style } = invocation;
  const mark = complete ? style.green("✓") : style.yellow("!");
  invocation.print(
    `${mark} ${plural(stored, "episode")} in run ${style.cyan(run)} ${style.dim(`(${formatDuration(durationMs)})`)}`,
  );
}
