/** Where an update's episodes come from: tasks in a fixed order, played here or elsewhere, and rewarded. */
import { EngineError } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import type { Demonstrator } from "../env/expert.ts";
import type { Env } from "../env/env.ts";
import { splitTasks } from "../env/world-faults.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { rollOut, type RollOutOptions, type RollOutResult } from "../walk/line/roll-out.ts";
import { StrategyTally } from "../rollout/effect.ts";
import type { ReadyStrategy, Strategy } from "../rollout/strategy.ts";
import type { Writer } from "../skill/skill.ts";
import { byGroup } from "limbeck-base/trajectory/rows";
import { asWalked, episodesLost, isEnough, isSeen, tally } from "limbeck-base/trajectory/tally";
import type { JsonObject, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { agentFor, tellingSkills, type FamilySkills } from "./agent.ts";
import { assistantsOf } from "./assistants.ts";
import { measure, timePhase, type UpdateContext } from "./context.ts";
import { costOf } from "./ledger.ts";
import type { Settings } from "./settings.ts";
import { endlessOffset, poolOf, tasksOfPool, visitsBefore } from "./task-pool.ts";

/**
 * Fresh episodes of this update's tasks, in groups; by another strategy than the training's own where one is given.
 *
 * @example
 * import { getRecipe } from "limbeck/update";
 * import type { Recipe } from "limbeck";
 *
 * const recipe: Recipe = {
 *   ...getRecipe("grpo"),
 *   update: async (update) => {
 *     const episodes = await collect(update);
 *     console.log(episodes.length); // 2
 *   },
 * };
 * const settings = { tasks: 1, group: 2, maxSteps: 1, answerTokens: 4 };
 * await train({ recipe, env: "countdown", steps: 1, report: { tasks: 1 }, validation: { every: 0 }, settings });
 */
export async function collect(update: UpdateContext, strategy?: ReadyStrategy): Promise<readonly Trajectory[]> {
  return await timePhase(update, "collect", async () => {
    const played = update.supply === undefined ? await playHere(update, strategy) : await supplied(update, strategy);
    requireOwnTemperature(update, played);
    measureStrategy(update, played, strategy ?? update.strategy);
    const rewarded = asWalked(played, (await update.reward?.(played, update)) ?? played);
    const noted = rewarded.map((episode) => withInfo(episode, { phase: "train", update: update.update }));
    requireEnough(update.update, noted);
    update.record.episodes.push(...noted);
    if (poolOf(update) !== undefined) update.record.played = playedOf(update.record.episodes, prefixOf(update.update));
    return update.record.episodes;
  });
}

/** Losses take tokens as drawn from the policy itself; a strategy may have drawn them from something flatter. */
function requireOwnTemperature({ settings }: UpdateContext, played: readonly Trajectory[]): void {
  const odd = played
    .flatMap(({ streams }) => streams)
    .flatMap(
      ({ mask, temperatures }) =>
        temperatures?.find((heat, at) => mask[at] === 1 && heat !== settings.temperature) ?? [],
    );
  if (odd.length === 0) return;
  throw new EngineError(
    "bad-option",
    `The strategy drew answers at temperature ${odd[0]}; a training learns from answers drawn at ${settings.temperature}. Leave strategy.temperature out; limbeck rollout takes it.`,
  );
}

/** What the strategy did, before rewards are given: it is about the episodes as they were walked. */
function measureStrategy(update: UpdateContext, played: readonly Trajectory[], strategy: ReadyStrategy): void {
  const pool = poolOf(update);
  if (pool !== undefined) measure(update, { "tasks/visitsBefore": visitsBefore(pool, update.update) });
  if (update.collecting !== undefined) return;
  const tally = new StrategyTally();
  for (const episode of played) tally.add(episode);
  const tasks = pool?.count ?? update.settings.tasks.count;
  const given = { tasks, prefix: prefixOf(update.update), kept: strategy.kept?.() };
  measure(update, tally.metrics(strategy.effect, given));
}

/** Groups of earlier updates that are given again, and branches, are no further visit. */
function playedOf(played: readonly Trajectory[], prefix: string): Record<string, number> {
  const fresh = played.filter(({ group, parent }) => parent === undefined && group.startsWith(prefix));
  const counts = groupedBy(fresh, ({ task }) => task.id);
  return Object.fromEntries([...counts].map(([id, own]) => [id, own.length]));
}

/** The episodes of an update as they are played, here or elsewhere. */
export interface Assignment {
  readonly update: number;
  readonly tasks: readonly Task[];
  readonly seed: string;
  /** Stands before the names of groups and trajectories. */
  readonly prefix: string;
  readonly skills: FamilySkills;
}

/** Fresh tasks in every update, or where they have an end those whose turn it is; the same for every recipe and seed of the task order. */
export async function assignmentOf(
  training: { readonly env: Env; readonly settings: Settings; readonly seed: number },
  update: number,
  skills: FamilySkills,
): Promise<Assignment> {
  const { env, seed, settings } = training;
  const pool = poolOf(training);
  const tasks =
    pool === undefined
      ? await tasksOf(
          env,
          "train",
          endlessOffset(settings.tasks.seed ?? seed, update, settings.tasks.count),
          settings.tasks.count,
        )
      : await tasksOfPool(env, pool, update);
  return { update, tasks, seed: `${seed} update ${update}`, prefix: prefixOf(update), skills };
}

function prefixOf(update: number): string {
  return `${update}/`;
}

export async function tasksOf(
  env: Env,
  split: string,
  offset: number,
  count: number,
  signal?: AbortSignal,
): Promise<Task[]> {
  return await splitTasks(env, split, { offset, count, signal });
}

/** With the newest weights. */
async function playHere(update: UpdateContext, own: Strategy | undefined): Promise<readonly Trajectory[]> {
  const {
    env,
    demonstrator,
    textWriter: writer,
    settings,
    signal,
    collecting,
    deadline,
    now,
    pool,
    outcomeScorer,
  } = update;
  if (own !== undefined && collecting !== undefined) throw playsItself("--collect");
  const strategy = own ?? collecting?.(update.ledger) ?? update.strategy;
  const { tasks, seed, prefix, skills } = await assignmentOf(update, update.update, update.skills);
  const agent = agentFor(update, { tell: tellingSkills(skills) });
  const peers = settings.group;
  const inTime = deadline === undefined ? {} : { budget: { seconds: deadline.left() }, now };
  const request = {
    env,
    demonstrator,
    writer,
    agent,
    strategy,
    tasks,
    seed,
    prefix,
    peers,
    pool,
    signal,
    outcomeScorer,
    ...inTime,
  };
  const { trajectories } = await play(request);
  deadline?.check();
  if (collecting !== undefined && !trajectories.some(isSeen)) {
    throw new EngineError(
      "bad-limit",
      `No search of update ${update.update} brought an episode to its end, so there is nothing to learn from. Raise its budget: --set collect.envSteps=N.`,
    );
  }
  return trajectories;
}

/** The error for a recipe whose updates do not play what was chosen. */
export function playsItself(option: string, recipe = "the recipe"): EngineError {
  return new EngineError(
    "needs-unmet",
    `${option} has no place here: ${recipe} plays every update in a way of its own. Leave it out.`,
  );
}

async function supplied(update: UpdateContext, strategy: Strategy | undefined): Promise<readonly Trajectory[]> {
  const episodes = (await update.supply?.(strategy)) ?? [];
  update.ledger.book(costOf(episodes));
  return episodes;
}

export interface PlayRequest extends Pick<
  RollOutOptions,
  "tasks" | "strategy" | "prefix" | "episode" | "budget" | "attempts" | "concurrency" | "signal" | "onProgress" | "now"
> {
  readonly env: Env;
  /** Reflects and corrects where the strategy asks for it. */
  readonly demonstrator: Demonstrator | undefined;
  readonly agent: Agent;
  readonly seed: number | string;
  /** Reflects in words of its own, and corrects where there is no demonstrator. */
  readonly writer?: Writer | undefined;
  /** Scores steps and states where the strategy asks for it. */
  readonly outcomeScorer?: RollOutOptions["outcomeScorer"] | undefined;
  /** Episodes of a task that a pool of peers holds. */
  readonly peers: number;
  /** Episodes of other runs, in the place of peers. */
  readonly pool?: RollOutOptions["pool"] | undefined;
}

/** Plays tasks, wherever that is: in this process, in a thread beside the learning, on a worker of a fleet. */
export async function play({
  demonstrator,
  writer,
  peers,
  pool,
  outcomeScorer,
  ...options
}: PlayRequest): Promise<RollOutResult> {
  const { env, agent, seed, strategy, episode } = options;
  const needs = (strategy.needs ?? []).filter((need) => need !== "pool" || pool === undefined);
  return await rollOut({
    ...options,
    ...assistantsOf({ env, demonstrator, writer, outcomeScorer, agent, needs, seed: String(seed), peers, episode }),
    ...(pool === undefined ? {} : { pool }),
  });
}

export function withInfo(trajectory: Trajectory, info: JsonObject): Trajectory {
  return { ...trajectory, info: { ...trajectory.info, ...info } };
}

/** Nothing has been learned when this stops the run. */
function requireEnough(update: number, episodes: readonly Trajectory[]): void {
  const counts = tally(episodes);
  const groups = byGroup(episodes).map(({ trajectories }) => trajectories);
  const isAlone = groups.every(({ length }) => length < 2);
  const isCompared = isAlone || groups.some((group) => group.filter(isSeen).length > 1);
  if (counts.lost === 0 || (isEnough(counts) && isCompared)) return;
  throw episodesLost(
    `Update ${update} cannot learn`,
    counts,
    "An update needs at least half of its episodes, and two of one task where tasks are played more than once. Mend the cause and continue with --resume.",
  );
}
