/**
 * Tries again when a world fails. Worlds are deterministic from their task, so a lost episode is opened anew and its
 * actions are replayed before the failed step is repeated. When every attempt fails the episode ends as "failed".
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError, errorCode, errorData, isAbort, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { unscored } from "limbeck-base/trajectory/score";
import type { Env, Episode, OpenOptions, StepResult } from "./env.ts";
import { episodeEnded } from "./episode-error.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

export interface RetryOptions {
  /** Attempts in all, the first included. Default: 3. */
  readonly attempts?: number;
  /** Pause before the second attempt, doubled for each further one. Default: none. */
  readonly delayMs?: number;
}

export const RETRY_CHECKS = { attempts: may.count, delayMs: may.amount } as const;

/** Misuse and cancellation are the caller's doing: repeating them cannot help. */
const NOT_RETRIED: ReadonlySet<string> = new Set(["episode-ended", "episode-closed", "cancelled"]);

/**
 * The same world, tried again when it fails.
 *
 * @example
 * import { wrapEnv } from "limbeck/env";
 *
 * let calls = 0;
 * const countdown = await openEnv("countdown");
 * const shaky = wrapEnv(countdown, (episode) => episode, {
 *   open: (task) => (++calls === 1 ? Promise.reject(new Error("lost")) : countdown.open(task)),
 * });
 * for await (const task of countdown.tasks("train", { count: 1 })) await withRetry(shaky).open(task);
 * console.log(calls); // 2
 */
export function withRetry(env: Env, options: RetryOptions = {}): Env {
  checkOptions("withRetry", options, RETRY_CHECKS);
  const { attempts = 3, delayMs = 0 } = options;
  const attempt = async <T>(work: (round: number) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    for (let round = 1; ; round += 1) {
      try {
        return await work(round);
      } catch (error) {
        throwIfAborted(signal);
        const final = round >= attempts || isAbort(error) || NOT_RETRIED.has(errorCode(error) ?? "");
        if (final) throw error;
      }
      if (delayMs > 0) await sleep(delayMs * 2 ** (round - 1), undefined, signal === undefined ? {} : { signal });
    }
  };
  return wrapEnv(env, (episode) => retryingEpisode(env, episode, [], attempt), {
    open: async (task, openOptions) => {
      const episode = await attempt(() => env.open(task, openOptions), openOptions?.signal);
      return retryingEpisode(env, episode, [], attempt);
    },
  });
}

type Attempt = <T>(work: (round: number) => Promise<T>, signal?: AbortSignal) => Promise<T>;

function retryingEpisode(env: Env, first: Episode, past: readonly string[], attempt: Attempt): Episode {
  let inner = first;
  let actions = past;
  let failure: PlainError | undefined;
  const live = (): Episode => inner;
  const lost = (): StepResult => {
    const reward = unscored(failure?.message ?? "The world was lost.");
    return { observation: inner.observation, reward, valid: false, ending: "failed", success: null };
  };
  const recover = async (options?: OpenOptions): Promise<void> => {
    try {
      await inner.close();
    } catch {
      // It is lost already; another takes its place.
    }
    inner = await replay(env, first, actions, options);
  };
  const step = async (action: string, options?: OpenOptions): Promise<StepResult> => {
    if (failure !== undefined) throw episodeEnded(first.task, "failed");
    try {
      const result = await attempt(async (round) => {
        if (round > 1) await recover(options);
        const answer = await inner.step(action, options);
        if (answer.ending === "failed") throw lostError(inner);
        return answer;
      }, options?.signal);
      actions = [...actions, action];
      return result;
    } catch (error) {
      if (isAbort(error) || NOT_RETRIED.has(errorCode(error) ?? "")) throw error;
      failure = errorData(error);
      return lost();
    }
  };
  return forwardLive(live, {
    get ending() {
      return failure === undefined ? inner.ending : "failed";
    },
    get reward() {
      return failure === undefined ? inner.reward : lost().reward;
    },
    get success() {
      return failure === undefined ? inner.success : null;
    },
    get failure() {
      return failure ?? inner.failure;
    },
    step,
    fork: async () => {
      // A lost world cannot be copied; its fork is as lost as it is.
      if (failure !== undefined) return lostFork(first, failure);
      return retryingEpisode(env, await attempt(() => inner.fork()), actions, attempt);
    },
  });
}

/** Like `wrapEpisode`, but the inner episode may be replaced on the way. */
function forwardLive(live: () => Episode, changes: Partial<Episode> & Pick<Episode, "fork">): Episode {
  const base: Partial<Episode> = {
    get observation() {
      return live().observation;
    },
    get stateKey() {
      return live().stateKey;
    },
    get irreversible() {
      return live().irreversible;
    },
    admissible: () => live().admissible(),
    close: () => live().close(),
  };
  const merged = Object.defineProperties(base, Object.getOwnPropertyDescriptors(changes));
  return wrapEpisode(live(), merged as Partial<Episode> & Pick<Episode, "fork">);
}

function lostFork(first: Episode, failure: PlainError): Episode {
  return wrapEpisode(first, {
    ending: "failed",
    reward: unscored(failure.message),
    success: null,
    failure,
    step: () => Promise.reject(episodeEnded(first.task, "failed")),
    fork: () => Promise.resolve(lostFork(first, failure)),
    close: () => Promise.resolve(),
  });
}

async function replay(env: Env, first: Episode, actions: readonly string[], options?: OpenOptions): Promise<Episode> {
  const episode = await env.open(first.task, options);
  for (const action of actions) {
    const result = await episode.step(action, options);
    if (result.ending !== undefined) {
      throw new EngineError(
        "replay-diverged",
        `Replaying task "${first.task.id}" ended (${result.ending}) before its last action; the world is not deterministic.`,
      );
    }
  }
  return episode;
}

function lostError(episode: Episode): EngineError {
  const { failure, task } = episode;
  return EngineError.from(failure ?? { code: "world-lost", message: `The world of task "${task.id}" was lost.` });
}
