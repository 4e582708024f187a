/** A search as a rollout strategy: every task's tree comes back as the forest it is, to be credited, compared or stored. */
import type { Strategy } from "../walk/index.ts";
import { createSearch } from "../search/index.ts";
import { runSearch, type Budget } from "../walk/index.ts";

export interface SearchStrategyOptions {
  /** Name of the search, and its options. */
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Of one task. */
  readonly budget: Budget;
  readonly steps?: number;
}

export function searchStrategy({ method, options, budget, steps }: SearchStrategyOptions): Strategy {
  // Made once before anything is played, so that a wrong option is told at once.
  createSearch(method, options);
  return {
    run: async (scope) => {
      await scope.each(scope.tasks, async (own, task) => {
        const { trajectories } = await runSearch({
          env: scope.env,
          agent: scope.agent,
          task,
          search: createSearch(method, options),
          seed: `${own.rng.int(2 ** 31)} ${task.id}`,
          budget,
          prefix: scope.prefix,
          signal: scope.signal,
          ...(steps === undefined ? {} : { steps }),
        });
        for (const trajectory of trajectories) own.adopt(trajectory);
      });
    },
  };
}
