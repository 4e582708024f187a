/** A search as a rollout strategy: every task's tree comes back as the forest it is, to be credited, compared or stored. */
import { errorCode } from "limbeck-base/base/errors";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { lostEpisode, type SearchPlan } from "../walk/tree/search-tasks.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import type { Agent } from "../walk/mind/agent.ts";
import type { Budget, Purse } from "../walk/purse.ts";
import type { RunSearchOptions } from "../walk/tree/search.ts";
import type { Strategy } from "../walk/line/strategy.ts";

export interface SearchStrategyOptions extends Omit<SearchPlan, "search"> {
  /** Made anew for every tree. */
  readonly search: () => RunSearchOptions["search"];
  /** Trees of each task; all of them are one group. Default: 1. */
  readonly trees?: number;
}

export function searchStrategy({ search, trees = 1, ...plan }: SearchStrategyOptions): Strategy {
  // Made once before anything is played, so that a wrong option is refused at once.
  search();
  return {
    run: async (scope) => {
      await scope.each(
        scope.tasks,
        async (own, task) => {
          const seeds = Array.from({ length: trees }, () => `${own.rng.int(2 ** 31)} ${task.id}`);
          const group = scope.prefix + task.id;
          await own.each(seeds, async (inner, seed, tree) => {
            const { purse } = inner;
            const budget = { ...plan.budget, ...leftIn(purse, plan.budget ?? {}) };
            const prefix = trees === 1 ? scope.prefix : `${scope.prefix}tree-${tree}/`;
            const { env, agent, signal } = scope;
            const grown = await grow({ ...plan, env, agent, task, search: search(), seed, budget, prefix, signal });
            for (const kind of BOOKED) purse.settle(kind, 0, grown.spent?.[kind] ?? 0);
            for (const trajectory of grown.trajectories) inner.adopt({ ...trajectory, group });
          });
        },
        { walks: trees },
      );
    },
  };
}

const BOOKED = ["envSteps", "sampledTokens", "tokens", "modelCalls"] as const;

/** What the rollout has left, where that is less than a tree may spend. */
function leftIn(purse: Purse, budget: Budget): Budget {
  const kinds = [...BOOKED, "seconds"] as const;
  const tighter = kinds.filter((kind) => purse.left(kind) < (budget[kind] ?? Infinity));
  return Object.fromEntries(tighter.map((kind) => [kind, purse.left(kind)]));
}

/** One tree. A task that cannot be searched at all costs its own episode only. */
async function grow(
  options: RunSearchOptions & { readonly agent: Agent; readonly task: Task; readonly prefix: string },
): Promise<{ readonly trajectories: readonly Trajectory[]; readonly spent?: Readonly<Record<string, number>> }> {
  try {
    const { trajectories, spent } = await runSearch(options);
    return { trajectories, spent: { ...spent } };
  } catch (error) {
    if (errorCode(error) !== "search-failed") throw error;
    const group = options.prefix + options.task.id;
    return { trajectories: [lostEpisode(options.task, error, { id: `${group}/search`, group, agent: options.agent })] };
  }
}
