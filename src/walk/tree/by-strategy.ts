/**
 * A rollout strategy in the place of a search: it spends the budget of a task on episodes of its own choosing, and the
 * line to act on is chosen among them as best-of-n would choose.
 */
import { mean, sum, withoutUndefined } from "../../base/index.ts";
import type { Env } from "../../env/index.ts";
import {
  createForest,
  episodeSteps,
  scoreValue,
  unscored,
  wholeEpisode,
  type Step,
  type Task,
  type Trajectory,
} from "../../trajectory/index.ts";
import { rollOut, type RollOutOptions, type Sink } from "../line/roll-out.ts";
import type { Agent } from "../mind/agent.ts";
import type { Budget, Spending, TokenPrices } from "../purse.ts";
import type { SearchOutcome } from "./search-outcome.ts";

/** A strategy that was chosen to search with. */
export interface StrategySearch {
  readonly name: string;
  /** Made anew for every task. */
  readonly strategy: () => RollOutOptions["strategy"];
  /** Whom the strategy may ask. */
  readonly assistants?: (place: {
    readonly env: Env;
    readonly agent: Agent;
    readonly seed: string;
  }) => Pick<RollOutOptions, "judge" | "reflector" | "corrector" | "pool" | "outcomeScorer">;
}

export interface RollTaskOptions {
  readonly search: StrategySearch;
  readonly env: Env;
  readonly agent: Agent;
  readonly task: Task;
  readonly seed: number | string;
  readonly prefix: string;
  readonly budget?: Budget;
  readonly prices?: TokenPrices;
  readonly seesOutcome?: boolean;
  readonly steps?: number;
  readonly signal?: AbortSignal;
  readonly sink?: Sink;
  readonly now?: () => number;
}

export async function rollTask(options: RollTaskOptions): Promise<SearchOutcome> {
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
      const worth = (seesOutcome ? outcomeOf(trajectory) : undefined) ?? 0.9 * signsOf(steps, trajectory);
      return { trajectory, worth, ended: Number(trajectory.info?.["stopped"] === undefined), length: steps.length };
    });
  const better = (one: (typeof lines)[number], other: (typeof lines)[number]): number =>
    other.worth - one.worth || other.ended - one.ended || one.length - other.length;
  return lines.toSorted(better)[0]?.trajectory ?? trajectories[0];
}

/** From 0 to 1; undefined for one that nobody scored. */
function outcomeOf({ success, reward }: Trajectory): number | undefined {
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
