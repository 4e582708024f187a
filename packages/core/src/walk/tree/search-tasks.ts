/** One search after the other over many tasks, several at a time; trees go to the sink as they finish. */
import { errorCode, errorData, type PlainError } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import { mean, sum } from "limbeck-base/base/statistics/summary";
import { withoutUndefined } from "limbeck-base/base/fields";
import { checkOptions, may } from "limbeck-base/base/options";
import { createForest, episodeSteps } from "limbeck-base/trajectory/forest";
import { scoreValue, unscored } from "limbeck-base/trajectory/score";
import { wholeEpisode } from "limbeck-base/trajectory/whole-episode";
import type { Step, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { rollOut, type RollOutOptions } from "../line/roll-out.ts";
import type { Agent } from "../mind/agent.ts";
import type { Spending } from "../purse.ts";
import type { Assistants, Sink, WalkOptions } from "../scope.ts";
import { lineTo } from "./node.ts";
import { joinLine } from "./pieces.ts";
import { runSearch, type SearchResult } from "./run-search.ts";
import type { RunSearchOptions } from "./search.ts";

/** A method with all it is given. The budget is that of one task. */
export interface SearchPlan extends Pick<RunSearchOptions, "budget" | "prices" | "value" | "asker" | "seesOutcome"> {
  /** Made anew for every task: `() => createSearch("mcts")`; or a rollout strategy that spends the budget. */
  readonly search: () => RunSearchOptions["search"] | StrategySearch;
}

export interface SearchTasksOptions extends Pick<
  RunSearchOptions,
  "env" | "agent" | "seed" | "prefix" | "steps" | "signal" | "sink"
> {
  readonly plan: SearchPlan;
  readonly tasks: readonly Task[];
  /** Searches at the same time. Default: 8. */
  readonly together?: number;
  /** What all searches together may take. A task that was not brought to an end in that time has no outcome. */
  readonly seconds?: number | undefined;
  /** Milliseconds that only grow. Default: the machine's. */
  readonly now?: (() => number) | undefined;
  readonly onOutcome?: (outcome: SearchOutcome) => void | Promise<void>;
}

export const SEARCH_TASKS_CHECKS = { seed: may.seed, together: may.count, steps: may.count } as const;

/**
 * In the order of the tasks, of all that had time. One that cannot be searched at all costs its own outcome only.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createSearch, createTokenAgent } from "limbeck/search";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 + 4</answer>" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const env = await openEnv("countdown", { level: "easy" });
 * const tasks = [];
 * for await (const task of env.tasks("train", { count: 2 })) tasks.push(task);
 * const plan = { search: () => createSearch("best-of-n", { n: 2 }) };
 * const outcomes = await searchTasks({ plan, env, agent, tasks, seed: 1 });
 * console.log(outcomes.map(({ episode }) => episode.success)); // [ true, false ]
 */
export async function searchTasks(options: SearchTasksOptions): Promise<SearchOutcome[]> {
  checkOptions("searchTasks", options, SEARCH_TASKS_CHECKS);
  const { tasks, together = 8, signal, onOutcome, now = () => performance.now() } = options;
  const sink = options.sink === undefined ? undefined : inTurn(options.sink);
  const end = now() + (options.seconds ?? Infinity) * 1_000;
  const outcomes = await mapLimit(
    tasks,
    together,
    async (task, _index, stop) => {
      const left = Math.max(0, end - now()) / 1_000;
      if (left === 0) return undefined;
      const budget = { ...options.plan.budget, seconds: Math.min(left, options.plan.budget?.seconds ?? Infinity) };
      const plan = { ...options.plan, ...(left === Infinity ? {} : { budget }) };
      const outcome = await searchOne({ ...options, plan, ...withoutUndefined({ sink }) }, task, stop);
      // What the clock cut short says nothing of the search.
      if (now() >= end && isUnfinished(outcome.episode)) return undefined;
      await onOutcome?.(outcome);
      return outcome;
    },
    withoutUndefined({ signal }),
  );
  return outcomes.filter((outcome) => outcome !== undefined);
}

function isUnfinished({ ending, reward }: Trajectory): boolean {
  return ending === "truncated" && reward.kind === "unscored";
}

async function searchOne(options: SearchTasksOptions, task: Task, signal: AbortSignal): Promise<SearchOutcome> {
  const { plan, env, agent, seed, prefix = "", steps, sink, now } = options;
  const { search: make, ...given } = plan;
  const search = make();
  const group = `${prefix}${task.id}`;
  const name = { id: `${group}/chosen`, group, agent, method: search.name ?? "search" };
  try {
    const places = { env, agent, task, seed, prefix, signal, ...withoutUndefined({ steps, sink, now }) };
    if (isStrategySearch(search)) return await rollTask({ ...places, ...given, search });
    const result = await runSearch({ ...places, ...given, search });
    const { nodes, spent, irreversible, failures } = result;
    const episode = chosenEpisode(result, name);
    return { task, episode, nodes, spent, irreversible, harm: harmBeside(result), failures };
  } catch (error) {
    if (errorCode(error) !== "search-failed") throw error;
    return lostOutcome(lostEpisode(task, error, name));
  }
}

/** Trees that finish at the same time are written one after the other. */
function inTurn(sink: Sink): Sink {
  let last = Promise.resolve();
  return { append: (trajectory) => (last = last.then(() => sink.append(trajectory))) };
}

// The line that a search would act on, as an episode of its own: whole, without the tree around it.

export interface EpisodeName {
  readonly id: string;
  readonly group: string;
  readonly agent: Agent;
  /** The search, as it is called. */
  readonly method: string;
}

/**
 * What was not carried to an end did not reach its goal within the budget.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createSearch, createTokenAgent, runSearch } from "limbeck/search";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 + 4</answer>" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const env = await openEnv("countdown", { level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const result = await runSearch({ env, agent, task, search: createSearch("best-of-n", { n: 2 }), seed: 1 });
 *   console.log(chosenEpisode(result, { id: "1", group: "1", agent, method: "best-of-n" }).info?.["search"]); // { method: "best-of-n", nodes: 2, envSteps: 2 }
 * }
 */
export function chosenEpisode(result: SearchResult, { id, group, agent, method }: EpisodeName): Trajectory {
  const { task, root, chosen = root, spent } = result;
  const { steps, streams } = joinLine(lineTo(chosen));
  const { ending = "truncated", reward, success, observation, failure } = chosen;
  const isUnfinished = chosen.ending === undefined;
  // A line that ends for want of room in the context is no evidence on the policy.
  const full = isUnfinished ? result.failures.find(({ code }) => code === "past-context")?.message : undefined;
  const stopped = chosen.stopped ?? (full === undefined ? undefined : "context");
  return {
    id,
    task,
    group,
    steps,
    streams,
    ending,
    reward: isUnfinished ? unscored(full === undefined ? "stopped: search" : `stopped: context. ${full}`) : reward,
    success: isUnfinished ? (full === undefined ? false : null) : success,
    rewards: [],
    policy: agent.ref,
    // What the whole search took, since that is what this episode cost.
    usage: { modelCalls: spent.modelCalls, completionTokens: spent.sampledTokens, costUsd: spent.usd },
    closing: { observation },
    ...(failure === undefined ? {} : { failure }),
    info: {
      ...(stopped === undefined ? {} : { stopped }),
      search: { method, nodes: result.nodes, envSteps: spent.envSteps },
    },
  };
}

/**
 * Actions that cannot be taken back and were carried out beside the chosen line: harm done while exploring.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createSearch, createTokenAgent, runSearch } from "limbeck/search";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 + 4</answer>" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const env = await openEnv("countdown", { level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const result = await runSearch({ env, agent, task, search: createSearch("best-of-n", { n: 2 }), seed: 1 });
 *   console.log(result.irreversible, harmBeside(result)); // 0 0
 * }
 */
export function harmBeside({ irreversible, chosen }: SearchResult): number {
  const own = chosen === undefined ? [] : lineTo(chosen).filter(({ step }) => step?.info?.["irreversible"] === true);
  return Math.max(0, irreversible - own.length);
}

// What a search of one task came to.

/** What is kept of a search; the tree itself is let go. */
export interface SearchOutcome {
  readonly task: Task;
  /** The line it would act on. */
  readonly episode: Trajectory;
  readonly nodes: number;
  readonly spent: Spending;
  /** Actions that cannot be taken back: on the chosen line and beside it. */
  readonly irreversible: number;
  readonly harm: number;
  readonly failures: readonly PlainError[];
}

/**
 * Nothing was played: an episode that failed.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createTokenAgent } from "limbeck/search";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * console.log(lostEpisode(task, new Error("The world is gone."), { id: "1", group: "1", agent }).ending); // failed
 */
export function lostEpisode(
  task: Task,
  error: unknown,
  { id, group, agent }: { readonly id: string; readonly group: string; readonly agent: Agent },
): Trajectory {
  const failure = errorData(error);
  const shared = { id, task, group, steps: [], streams: [], rewards: [], policy: agent.ref, success: null };
  const full = firstFailure(failure);
  if (full?.code === "past-context") {
    const reward = unscored(`stopped: context. ${full.message}`);
    return { ...shared, ending: "truncated", reward, info: { stopped: "context" } };
  }
  return { ...shared, failure, ending: "failed", reward: unscored(failure.message) };
}

/** What stopped a search that got nowhere, as `runSearch` says it. */
function firstFailure({ details }: PlainError): PlainError | undefined {
  const failures = details?.["failures"];
  return Array.isArray(failures) ? (failures[0] as PlainError | undefined) : undefined;
}

export function lostOutcome(episode: Trajectory): SearchOutcome {
  const spent = { modelCalls: 0, tokens: 0, sampledTokens: 0, reusedTokens: 0, envSteps: 0, usd: 0, seconds: 0 };
  const failures = episode.failure === undefined ? [] : [episode.failure];
  return { task: episode.task, episode, nodes: 0, spent, irreversible: 0, harm: 0, failures };
}

// A rollout strategy in the place of a search: it spends the budget of a task on episodes of its own choosing, and the
// line to act on is chosen among them as best-of-n would choose.

/** A strategy that was chosen to search with. */
export interface StrategySearch {
  readonly name: string;
  /** Made anew for every task. */
  readonly strategy: () => RollOutOptions["strategy"];
  /** Whom the strategy may ask. */
  readonly assistants?: (place: Pick<WalkOptions, "env" | "agent"> & { readonly seed: string }) => Assistants;
}

type RollTaskOptions = Omit<RunSearchOptions, "search" | "prefix"> & {
  readonly search: StrategySearch;
  readonly prefix: string;
};

async function rollTask(options: RollTaskOptions): Promise<SearchOutcome> {
  const { search, env, agent, task, prefix, budget, prices, seesOutcome = true, steps, signal, sink, now } = options;
  const { name } = search;
  const seed = `${options.seed} ${task.id}`;
  const trajectories: Trajectory[] = [];
  let chosen: Trajectory | undefined;
  let spent: Spending;
  try {
    ({ spent } = await rollOut({
      env,
      agent,
      tasks: [task],
      strategy: search.strategy(),
      seed,
      prefix,
      ...withoutUndefined({ budget, prices, signal, now }),
      ...(steps === undefined ? {} : { episode: { steps } }),
      ...search.assistants?.({ env, agent, seed }),
      sink: { append: async (trajectory) => void trajectories.push(trajectory) },
      collect: false,
    }));
    chosen = bestLine(trajectories, seesOutcome);
  } finally {
    // What was walked is stored, also when it is given up.
    for (const trajectory of trajectories) await sink?.append(marked(trajectory, name, trajectory === chosen));
  }
  const group = prefix + task.id;
  const whole = chosen === undefined ? nothingOf(options) : wholeEpisode(createForest(trajectories), chosen.id);
  const isUnfinished = whole.ending === "truncated" && whole.reward.kind === "unscored";
  const nodes = sum(trajectories.map((one) => one.steps.length));
  const irreversible = sum(trajectories.map((one) => finalSteps(one.steps)));
  const { envSteps, sampledTokens, modelCalls, usd } = spent;
  return {
    task,
    episode: {
      ...whole,
      id: `${group}/chosen`,
      group,
      ...(isUnfinished ? { reward: unscored("stopped: search"), success: false } : {}),
      usage: { modelCalls, completionTokens: sampledTokens, costUsd: usd },
      info: { search: { method: name, nodes, envSteps } },
    },
    nodes,
    spent,
    irreversible,
    harm: irreversible - finalSteps(whole.steps),
    failures: trajectories.flatMap(({ failure }) => failure ?? []).slice(0, MOST_FAILURES),
  };
}

/** The budget did not pay a single step. */
function nothingOf({ task, prefix, agent }: RollTaskOptions): Trajectory {
  const told = { ending: "truncated", reward: unscored("stopped: budget"), success: null, rewards: [] } as const;
  return { id: "", task, group: prefix + task.id, steps: [], streams: [], ...told, policy: agent.ref };
}

const MOST_FAILURES = 8;
/** The worthiest line; of equals the one that ended, then the shorter one, then the first. A lost one is no line. */
function bestLine(trajectories: readonly Trajectory[], seesOutcome: boolean): Trajectory | undefined {
  const forest = createForest(trajectories);
  const lines = trajectories
    .filter(({ ending }) => ending !== "failed")
    .map((trajectory) => {
      const steps = episodeSteps(forest, trajectory.id);
      const worth = (seesOutcome ? storedOutcome(trajectory) : undefined) ?? 0.9 * signsOf(steps, trajectory);
      return { trajectory, worth, ended: Number(trajectory.info?.["stopped"] === undefined), length: steps.length };
    });
  const better = (one: (typeof lines)[number], other: (typeof lines)[number]): number =>
    other.worth - one.worth || other.ended - one.ended || one.length - other.length;
  return lines.toSorted(better)[0]?.trajectory ?? trajectories[0];
}

/** From 0 to 1; undefined where it is unscored. */
function storedOutcome({ success, reward }: Trajectory): number | undefined {
  const value = scoreValue(reward);
  return value === undefined ? undefined : success === true ? 1 : Math.min(1, Math.max(0, value));
}

/** The signs of `line-signs.ts` that a stored line shows: possible actions, new states, an end in time. */
function signsOf(steps: readonly Step[], { ending, info }: Trajectory): number {
  if (steps.length === 0) return 0;
  const possible = steps.filter(({ valid }) => valid).length / steps.length;
  const fresh = (new Set(steps.map(({ stateKey }) => stateKey)).size - 1) / Math.max(1, steps.length - 1);
  const ended = ending === "terminated" ? 1 : info?.["stopped"] === undefined ? 0 : 0.5;
  return mean([possible, steps.length === 1 ? 1 : fresh, ended]);
}

function finalSteps(steps: readonly Step[]): number {
  return steps.filter(({ info }) => info?.["irreversible"] === true).length;
}

function marked(trajectory: Trajectory, method: string, isChosen: boolean): Trajectory {
  const search = { method, ...(isChosen ? { chosen: true } : {}) };
  return { ...trajectory, info: { ...trajectory.info, search } };
}

/** Whether a search is in fact a strategy. */
export function isStrategySearch(search: object): search is StrategySearch {
  return "strategy" in search;
}
