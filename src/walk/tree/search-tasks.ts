/** One search after the other over many tasks, several at a time; trees go to the sink as they finish. */
import { checkOptions, may } from "../../base/options.ts";
import { errorCode, mapLimit, withoutUndefined } from "../../base/index.ts";
import type { Env } from "../../env/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Sink } from "../line/roll-out.ts";
import type { Agent } from "../mind/agent.ts";
import type { Budget, TokenPrices } from "../purse.ts";
import type { Asker } from "./asker.ts";
import { isStrategySearch, rollTask, type StrategySearch } from "./by-strategy.ts";
import { chosenEpisode, harmBeside } from "./chosen-episode.ts";
import { runSearch, type SearchResult } from "./run-search.ts";
import type { RunSearchOptions } from "./search-options.ts";
import { lostEpisode, lostOutcome, type SearchOutcome } from "./search-outcome.ts";
import type { Value } from "./search.ts";

/** A method with all it is given. The budget is that of one task. */
export interface SearchPlan {
  /** Made anew for every task: `() => createSearch("mcts")`; or a rollout strategy that spends the budget. */
  readonly search: () => RunSearchOptions["search"] | StrategySearch;
  readonly budget?: Budget;
  readonly prices?: TokenPrices;
  readonly value?: Value;
  readonly asker?: Asker;
  /** Whether it may look at how the world scores what has ended. Default: yes. */
  readonly seesOutcome?: boolean;
}

export interface SearchTasksOptions {
  readonly plan: SearchPlan;
  readonly env: Env;
  readonly agent: Agent;
  readonly tasks: readonly Task[];
  readonly seed: number | string;
  /** Stands before the names of groups. */
  readonly prefix?: string;
  /** Searches at the same time. Default: 8. */
  readonly together?: number;
  readonly steps?: number;
  /** What all searches together may take. A task that was not brought to an end in that time has no outcome. */
  readonly seconds?: number | undefined;
  /** Milliseconds that only grow. Default: the machine's. */
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal;
  /** Takes every branch of every tree. */
  readonly sink?: Sink;
  readonly onOutcome?: (outcome: SearchOutcome) => void | Promise<void>;
}

export const SEARCH_TASKS_CHECKS = { seed: may.seed, together: may.count, steps: may.count } as const;

/**
 * In the order of the tasks, of all that had time. One that cannot be searched at all costs its own outcome only.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 * import { createSearch } from "limbeck/search";
 * import { createTokenAgent } from "limbeck/walk";
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
    return outcomeOf(result, chosenEpisode(result, name));
  } catch (error) {
    if (errorCode(error) !== "search-failed") throw error;
    return lostOutcome(lostEpisode(task, error, name));
  }
}

function outcomeOf(result: SearchResult, episode: Trajectory): SearchOutcome {
  const { task, nodes, spent, irreversible, failures } = result;
  return { task, episode, nodes, spent, irreversible, harm: harmBeside(result), failures };
}

/** Trees that finish at the same time are written one after the other. */
function inTurn(sink: Sink): Sink {
  let last = Promise.resolve();
  return { append: (trajectory) => (last = last.then(() => sink.append(trajectory))) };
}
