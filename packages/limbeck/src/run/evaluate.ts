/** How good an agent is on fixed tasks. */
import { checkOptions, may } from "limbeck-base/base/options";
import { startRunning, type Running } from "limbeck-base/base/running";
import { withoutUndefined } from "limbeck-base/base/fields";
import { evaluateAgent, type Evaluation } from "limbeck-core/eval/evaluate";
import { evaluateSearch } from "limbeck-core/eval/evaluate-search";
import type { Sink } from "limbeck-core/walk/scope";
import type { Spending } from "limbeck-core/walk/purse";
import type { Search } from "limbeck-core/walk/tree/search";
import type { SearchOutcome } from "limbeck-core/walk/tree/search-tasks";
import { type RewardPart, rewardEpisodes } from "limbeck-training/training/parts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { TimeBudget } from "limbeck-core/update/deadline";
import { DEFAULTS } from "./defaults.ts";
import { PART_CHECKS, withParts, type PartOptions } from "./parts.ts";
import { openSearch, type SearchSettings } from "./search-plan.ts";

export interface EvaluateOptions extends PartOptions {
  /** How many tasks, or the tasks themselves. Default: 50. */
  readonly tasks?: PartOptions["tasks"];
  /** Episodes of each task. Default: 1. */
  readonly samples?: number | undefined;
  /** A search with which it chooses its actions: by name, of your own, or with settings. Default: it plays as it is. */
  readonly search?: string | Search | SearchSettings | undefined;
  /** What an episode is worth, in the place of the world's own reward: a function, a reward by name, or a plan. */
  readonly reward?: RewardPart | undefined;
  /** What all of it may take: tasks that were not reached in time are in no figure. Default: any time. */
  readonly budget?: TimeBudget | undefined;
  /** Milliseconds that only grow. Default: the machine's. */
  readonly now?: (() => number) | undefined;
  /** Stands before the ids of the trajectories. */
  readonly prefix?: string | undefined;
  /** Where trajectories also go as they finish: a run of the store, for example. */
  readonly sink?: Sink;
  readonly onEvent?: (event: EvaluateEvent) => void;
}

export const EVALUATE_CHECKS = { ...PART_CHECKS, samples: may.count } as const;

/** Success with its interval, and the episodes behind it. */
export interface Evaluated extends Evaluation {
  readonly trajectories: readonly Trajectory[];
  /** Episodes that were asked for; those for which no time was left are in no figure. */
  readonly asked: number;
  readonly spent: Spending;
  /** What each search came to, where there was one. */
  readonly searches: readonly SearchOutcome[];
}

/** After every episode. */
export interface EvaluateEvent {
  readonly kind: "progress";
  readonly done: number;
  readonly total: number;
}

/** Lets a policy play fixed tasks and says how many it solves. */
export function evaluate(options: EvaluateOptions = {}): Running<Evaluated, EvaluateEvent> {
  return startRunning(
    (emit) =>
      withParts({ what: "evaluate", checks: EVALUATE_CHECKS, options }, async ({ world, tasks, opened, seed }) => {
        const { samples = DEFAULTS.samples, prefix, concurrency, maxSteps, signal, sink, now } = options;
        checkOptions("evaluate", options.budget, { seconds: may.amount }, "budget");
        const budget = withoutUndefined({ seconds: options.budget?.seconds });
        const request = {
          env: world.env,
          agent: opened.agent,
          tasks,
          seed,
          budget,
          ...withoutUndefined({ samples, prefix, concurrency, maxSteps, signal, now }),
          // What is to be rewarded is stored with its reward, at the end.
          ...(options.reward === undefined ? withoutUndefined({ sink }) : {}),
          onProgress: (done: number, total: number) => emit({ kind: "progress", done, total }),
        };
        const { search } = options;
        const settings = typeof search === "string" || (search !== undefined && "run" in search) ? { search } : search;
        const found = settings === undefined ? undefined : await openSearch(settings, options.environment);
        try {
          const { evaluation, ...rest } =
            found === undefined
              ? { ...(await evaluateAgent(request)), searches: [] }
              : await evaluateSearch({ ...request, search: found.plan });
          const played = { ...evaluation, ...rest, asked: tasks.length * samples };
          if (options.reward === undefined) return played;
          return { ...played, trajectories: await rewardEpisodes(options.reward, rest.trajectories, sink) };
        } finally {
          await found?.close();
        }
      }),
    options.onEvent,
  );
}
