/** Episodes: a policy in a world, walked by a strategy. */
import { may } from "limbeck-base/base/options";
import { startRunning, type Running } from "limbeck-base/base/running";
import { withoutUndefined } from "limbeck-base/base/fields";
import { neededSizeName } from "limbeck-core/recipe/settings";
import { createStrategy } from "limbeck-core/rollout/registry";
import { rollOut, type RollOutProgress, type RollOutResult } from "limbeck-core/walk/line/roll-out";
import type { EpisodeLimits } from "limbeck-core/walk/line/runtime";
import type { Budget } from "limbeck-core/walk/purse";
import type { OutcomeScorer, Pool } from "limbeck-core/walk/judge";
import type { Sink } from "limbeck-core/walk/scope";
import type { Strategy, StrategyNeed } from "limbeck-core/walk/line/strategy";
import { type RewardPart, rewardEpisodes } from "limbeck-training/training/parts";
import { namedScorer } from "limbeck-training/training/scorer/open-scorer";
import { successOf } from "limbeck-base/trajectory/tally";
import { assistantsOf } from "limbeck-core/update/assistants";
import type { Writer } from "limbeck-core/skill/skill";
import { DEFAULTS } from "./defaults.ts";
import { PART_CHECKS, withParts, type PartOptions } from "./parts.ts";

export interface RolloutOptions extends PartOptions {
  /** How many tasks, or the tasks themselves. Default: 8. */
  readonly tasks?: PartOptions["tasks"];
  /** A strategy by name, or one of your own. Default: "group". */
  readonly strategy?: string | (Strategy & { readonly needs?: readonly StrategyNeed[] }) | undefined;
  /** Episodes of each task, for a strategy that is named and has a size. Default: the strategy's own. */
  readonly group?: number | undefined;
  /** Options of a strategy that is named. */
  readonly strategyOptions?: Readonly<Record<string, unknown>>;
  /** What an episode is worth, in the place of the world's own reward: a function, a reward by name, or a plan. */
  readonly reward?: RewardPart;
  /** A text model that writes reflections, and corrections where no demonstrator can. Default: the world's demonstrator. */
  readonly writer?: Writer | undefined;
  /**
   * Scores how likely unfinished episodes are to succeed, for strategies that need it: a folder of limbeck reward
   * train, the name of a bundled scorer, or one of your own. Default: the strategies' own rules.
   */
  readonly scorer?: string | OutcomeScorer | undefined;
  /** What one episode may spend besides `maxSteps`. */
  readonly episode?: EpisodeLimits;
  /** What the whole rollout may spend. Default: no limits. */
  readonly budget?: Budget;
  /** Attempts at a step of a failing world. Default: 3. */
  readonly attempts?: number | undefined;
  /** Whether a world is called while the thoughts after a call are sampled, by agents whose form is call-first. Default: yes. */
  readonly overlap?: boolean | undefined;
  /** Stands before the names of groups and trajectories. */
  readonly prefix?: string | undefined;
  /** Where trajectories also go as they finish: a run of the store, for example. */
  readonly sink?: Sink;
  /** Where finished episodes of other runs come from, for strategies that use them. */
  readonly pool?: Pool | undefined;
  /** Whether the result holds the trajectories. Default: yes. */
  readonly collect?: boolean;
  readonly onEvent?: (event: RolloutEvent) => void;
}

export const ROLLOUT_CHECKS = { ...PART_CHECKS, group: may.count, attempts: may.count } as const;

export interface RolledOut extends RollOutResult {
  /** Share of the episodes that succeeded, of those that were not lost; null where too few were seen. */
  readonly success: number | null;
}

/** After every episode: how far it is. */
export interface RolloutEvent extends RollOutProgress {
  readonly kind: "progress";
}

/** Lets a policy play and gives the trajectories, with their tokens where the policy has any. */
export function rollout(options: RolloutOptions = {}): Running<RolledOut, RolloutEvent> {
  return startRunning(
    (emit) =>
      withParts(
        { what: "rollout", checks: ROLLOUT_CHECKS, options },
        async ({ world, tasks, opened: { agent }, seed }) => {
          const {
            strategy = DEFAULTS.strategy,
            strategyOptions,
            group,
            budget,
            attempts = DEFAULTS.attempts,
            prefix,
            concurrency,
            signal,
            pool,
          } = options;
          const walked =
            typeof strategy === "string"
              ? createStrategy(strategy, {
                  ...(group === undefined ? {} : { [neededSizeName(strategy)]: group }),
                  ...strategyOptions,
                })
              : strategy;
          const { env, demonstrator } = world;
          const episode = { ...options.episode, ...withoutUndefined({ steps: options.maxSteps }) };
          const needs = (walked.needs ?? []).filter((need) => need !== "pool" || pool === undefined);
          const { reward, sink, collect } = options;
          const { scorer } = options;
          const named = typeof scorer === "string" ? await namedScorer(scorer, agent.keptStates) : undefined;
          const outcomeScorer = named ?? (scorer as OutcomeScorer | undefined);
          const played = rollOut({
            env,
            agent,
            tasks,
            strategy: walked,
            seed,
            episode,
            ...assistantsOf({
              env,
              agent,
              demonstrator,
              writer: options.writer,
              outcomeScorer,
              needs,
              seed: String(seed),
              peers: 0,
              episode,
            }),
            ...withoutUndefined({ budget, attempts, prefix, concurrency, signal, pool, overlap: options.overlap }),
            // What is to be rewarded is stored with its reward, at the end.
            ...(reward === undefined ? withoutUndefined({ sink, collect }) : {}),
            onProgress: (progress) => emit({ kind: "progress", ...progress }),
          });
          const result = await closedAfter(played, named);
          const trajectories =
            reward === undefined ? result.trajectories : await rewardEpisodes(reward, result.trajectories, sink);
          const { episodes, succeeded, failed } = result;
          const { success } = successOf({ seen: episodes - failed, solved: succeeded, lost: failed });
          return { ...result, trajectories: collect === false ? [] : trajectories, success };
        },
      ),
    options.onEvent,
  );
}

async function closedAfter<T>(work: Promise<T>, opened: { close(): Promise<void> } | undefined): Promise<T> {
  try {
    return await work;
  } finally {
    await opened?.close();
  }
}
