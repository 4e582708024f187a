/** One search after the other over many tasks, several at a time; trees go to the sink as they finish. */
import { errorCode, errorData, mapLimit, type PlainError } from "../../base/index.ts";
import type { Env } from "../../env/index.ts";
import type { Sink } from "../line/roll-out.ts";
import type { Agent } from "../mind/agent.ts";
import { unscored, type Task, type Trajectory } from "../../trajectory/index.ts";
import type { Asker } from "./asker.ts";
import type { Budget, Spending, TokenPrices } from "../purse.ts";
import { chosenEpisode, harmBeside } from "./chosen-episode.ts";
import { runSearch, type SearchResult } from "./run-search.ts";
import type { RunSearchOptions } from "./search-options.ts";
import type { Value } from "./search.ts";

/** A method with all it is given. The budget is that of one task. */
export interface SearchPlan {
  /** Made anew for every task: `() => createSearch("mcts")`. */
  readonly search: () => RunSearchOptions["search"];
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
  readonly signal?: AbortSignal;
  /** Takes every branch of every tree. */
  readonly sink?: Sink;
  readonly onOutcome?: (outcome: SearchOutcome) => void | Promise<void>;
}

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

/** In the order of the tasks. One that cannot be searched at all costs its own outcome only. */
export async function searchTasks(options: SearchTasksOptions): Promise<SearchOutcome[]> {
  const { tasks, together = 8, signal, onOutcome } = options;
  const sink = options.sink === undefined ? undefined : inTurn(options.sink);
  return await mapLimit(
    tasks,
    together,
    async (task, _index, stop) => {
      const outcome = await searchOne({ ...options, ...(sink === undefined ? {} : { sink }) }, task, stop);
      await onOutcome?.(outcome);
      return outcome;
    },
    signal === undefined ? {} : { signal },
  );
}

async function searchOne(options: SearchTasksOptions, task: Task, signal: AbortSignal): Promise<SearchOutcome> {
  const { plan, env, agent, seed, prefix = "", steps, sink } = options;
  const { search: make, ...given } = plan;
  const search = make();
  const group = `${prefix}${task.id}`;
  const name = { id: `${group}/chosen`, group, agent, method: search.name ?? "search" };
  try {
    const places = { env, agent, task, search, seed, prefix, signal };
    const result = await runSearch({
      ...places,
      ...given,
      ...(steps === undefined ? {} : { steps }),
      ...(sink === undefined ? {} : { sink }),
    });
    return outcomeOf(result, chosenEpisode(result, name));
  } catch (error) {
    if (errorCode(error) !== "search-failed") throw error;
    return lost(task, error, name);
  }
}

function outcomeOf(result: SearchResult, episode: Trajectory): SearchOutcome {
  const { task, nodes, spent, irreversible, failures } = result;
  return { task, episode, nodes, spent, irreversible, harm: harmBeside(result), failures };
}

/** Nothing was played: an episode that failed. */
function lost(
  task: Task,
  error: unknown,
  { id, group, agent }: { id: string; group: string; agent: Agent },
): SearchOutcome {
  const failure = errorData(error);
  const nothing = { modelCalls: 0, tokens: 0, sampledTokens: 0, reusedTokens: 0, envSteps: 0, usd: 0, seconds: 0 };
  return {
    task,
    episode: {
      id,
      task,
      group,
      steps: [],
      streams: [],
      rewards: [],
      policy: agent.ref,
      failure,
      ending: "failed",
      reward: unscored(failure.message),
      success: null,
    },
    nodes: 0,
    spent: nothing,
    irreversible: 0,
    harm: 0,
    failures: [failure],
  };
}

/** Trees that finish at the same time are written one after the other. */
function inTurn(sink: Sink): Sink {
  let last = Promise.resolve();
  return { append: (trajectory) => (last = last.then(() => sink.append(trajectory))) };
}
