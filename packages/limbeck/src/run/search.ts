/** Tasks solved by search: more compute at the moment of decision. */
import { may } from "limbeck-base/base/options";
import { startRunning, type Running } from "limbeck-base/base/running";
import { withoutUndefined } from "limbeck-base/base/fields";
import { summarise, type Evaluation } from "limbeck-core/eval/evaluate";
import type { Sink } from "limbeck-core/walk/scope";
import { searchTasks, type SearchOutcome } from "limbeck-core/walk/tree/search-tasks";
import { PART_CHECKS, withParts, type PartOptions } from "./parts.ts";
import { openSearch, type SearchSettings } from "./search-plan.ts";

export interface SearchOptions extends PartOptions, SearchSettings {
  /** How many tasks, or the tasks themselves. Default: 8. */
  readonly tasks?: PartOptions["tasks"];
  /** Tasks searched at the same time. Default: 8. */
  readonly together?: number | undefined;
  /** Takes every branch of every tree. */
  readonly sink?: Sink;
  /** Waited for after each task, before its place is given to another. */
  readonly onOutcome?: (outcome: SearchOutcome) => Promise<void>;
  readonly onEvent?: (event: SearchEvent) => void;
}

export const SEARCH_CHECKS = { ...PART_CHECKS, together: may.count } as const;

/** Success of the chosen lines with its interval, and what each search came to. */
export interface Searched extends Evaluation {
  /** In the order of the tasks. */
  readonly outcomes: readonly SearchOutcome[];
}

/** After every task. */
export interface SearchEvent {
  readonly kind: "outcome";
  readonly outcome: SearchOutcome;
}

/** Searches each task within its own budget, and gives the lines it would act on. */
export function search(options: SearchOptions = {}): Running<Searched, SearchEvent> {
  return startRunning(
    (emit) =>
      withParts({ what: "search", checks: SEARCH_CHECKS, options }, async ({ world, tasks, opened, seed }) => {
        const { together, maxSteps: steps, signal, sink, onOutcome } = options;
        const own = await openSearch({ ...options, demonstrator: world.demonstrator }, options.environment);
        try {
          const outcomes = await searchTasks({
            plan: own.plan,
            env: world.env,
            agent: opened.agent,
            tasks,
            seed,
            ...withoutUndefined({ together, steps, signal, sink }),
            onOutcome: async (outcome) => {
              await onOutcome?.(outcome);
              emit({ kind: "outcome", outcome });
            },
          });
          return { ...summarise(outcomes.map(({ episode }) => episode)), outcomes };
        } finally {
          await own.close();
        }
      }),
    options.onEvent,
  );
}
