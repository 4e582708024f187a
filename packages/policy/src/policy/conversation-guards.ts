/** What every conversation refuses, before any work and with nothing changed. */
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { Conversation, SampleOptions } from "./policy.ts";

export interface Sampling {
  readonly closed: boolean;
  /** A response is being sampled. */
  readonly busy: boolean;
}

export function refuseBusy({ closed, busy }: Sampling): void {
  if (closed) throw new EngineError("conversation-closed", "The conversation is closed; open or fork another.");
  if (!busy) return;
  throw new EngineError("conversation-busy", "The conversation is sampling; wait for it before extending or forking.");
}

/** Of all tokens before the first is read, so that a refused list is not read in part. */
function checkTokens(ids: ArrayLike<number>, vocabularySize: number): void {
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] as number;
    if (Number.isInteger(id) && id >= 0 && id < vocabularySize) continue;
    throw new EngineError(
      "bad-token",
      `Token ${id} at place ${at} is not in the vocabulary of ${vocabularySize}; allowed: 0 to ${vocabularySize - 1}.`,
    );
  }
}

/** `count` tokens are in the context so far. */
export function checkSampling(count: number, contextLength: number, sampling: Sampling, options: SampleOptions): void {
  throwIfAborted(options.signal);
  refuseBusy(sampling);
  if (count === 0) {
    throw new EngineError(
      "empty-prompt",
      "Nothing to continue: extend the conversation with at least one token first.",
    );
  }
  if (count >= contextLength) {
    throw new EngineError(
      "past-context",
      `The conversation holds ${count} tokens; the model's context is ${contextLength}. Shorten it.`,
    );
  }
  checkSampleOptions(options);
}

export const SAMPLE_CHECKS = {
  maxTokens: may.count,
  temperature: may.amount,
  topK: may.count,
  topP: { kind: "number", above: 0, most: 1 },
  minP: may.share,
} as const;

export function checkSampleOptions(options: object): void {
  checkOptions("sample", options, SAMPLE_CHECKS);
}

/** Tokens of a conversation, in an array with room for more. */
export interface HeldTokens {
  tokens: Int32Array;
  count: number;
}

export function append(held: HeldTokens, ids: ArrayLike<number>): void {
  const count = held.count + ids.length;
  if (count > held.tokens.length) {
    const grown = new Int32Array(Math.max(count, 2 * held.tokens.length));
    grown.set(held.tokens);
    held.tokens = grown;
  }
  held.tokens.set(ids, held.count);
  held.count = count;
}

interface ConversationParts extends Pick<Conversation, "sample" | "peek" | "fork" | "close"> {
  readonly held: HeldTokens;
  readonly sampling: () => Sampling;
  readonly vocabularySize: number;
  /** Called with what was read. */
  readonly onRead?: (ids: Int32Array) => void;
}

/** A conversation that refuses what none may take, and holds its tokens here. */
export function createConversation(parts: ConversationParts): Conversation {
  const { held, sampling, vocabularySize, onRead, sample, peek, fork, close } = parts;
  return {
    get tokens() {
      return held.tokens.slice(0, held.count);
    },
    extend: (ids) => {
      refuseBusy(sampling());
      checkTokens(ids, vocabularySize);
      append(held, ids);
      onRead?.(Int32Array.from(ids));
    },
    sample,
    ...(peek === undefined ? {} : { peek }),
    fork: (label) => {
      refuseBusy(sampling());
      return fork(label);
    },
    close,
  };
}

// Waiting that can be given up.

/** The promise's own outcome, or "cancelled" as soon as the signal fires. The promise itself is not stopped. */
export async function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  return await new Promise<T>((resolve, reject) => {
    const give = (): void => reject(new EngineError("cancelled", "The work was cancelled.", { cause: signal.reason }));
    // Watched to its end even when given up, so that a late failure is no unhandled rejection.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", give));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}
