/** A chat model one can rely on: limits, retries, time, budgets, a cache and counters around one endpoint. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { checkOptions, may } from "limbeck-base/base/options";
import { canonicalJson, type JsonObject } from "limbeck-base/base/json";
import { createRng } from "limbeck-base/base/rng";
import { EngineError, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import { replaceFile } from "limbeck-base/base/files";
import type { Message, Usage } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import { abortable, checkSampleOptions } from "../conversation-guards.ts";
import type { TextScorer, TextScoreRow, TokenLogprob } from "../text-policy.ts";
import { createAccount, type ChatBudget, type ChatCounters, type ChatPrices } from "./account.ts";
import { createSlots, systemClock, withRetries, type ChatClock, type ChatRetryOptions } from "./retry.ts";
import { attemptFailed, type ChatAnswer, type ChatEndpoint, type ChatRequest } from "./endpoint.ts";
import { createSdkEndpoint, type SdkLanguageModel } from "./language-model.ts";
import { createPolicyEndpoint, type SpeakingPolicy } from "./policy-endpoint.ts";
import { createServerEndpoint, type ChatServer } from "./server.ts";

export interface ChatModelOptions {
  /** Longest time one attempt may take. Default: 120 s. */
  readonly timeoutMs?: number;
  readonly retry?: ChatRetryOptions;
  /** Calls in flight. Default: 8. */
  readonly concurrency?: number;
  readonly budget?: ChatBudget;
  readonly prices?: ChatPrices;
  /** Remembers answers by their question, in memory or in a folder too. Default: no. */
  readonly cache?: boolean | { readonly folder: string };
  /** Of the jitter in retries. */
  readonly seed?: number | string;
  readonly clock?: ChatClock;
}

export const CHAT_CHECKS = { timeoutMs: may.positive, concurrency: may.count, seed: may.seed } as const;
const CHAT_RETRY_CHECKS = {
  retries: may.whole,
  firstDelayMs: may.amount,
  maxDelayMs: may.amount,
  maxRetryAfterMs: may.amount,
} as const;

export interface CompleteOptions extends Omit<ChatRequest, "messages"> {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface ChatCompletion extends Omit<ChatAnswer, "counts"> {
  /** What this reply took; from the cache, nothing. */
  readonly usage: Usage;
  readonly cached: boolean;
}

export interface ChatModel extends TextScorer {
  /** The model's own name. */
  readonly model: string;
  complete(messages: readonly Message[], options?: CompleteOptions): Promise<ChatCompletion>;
  counters(): ChatCounters;
}

/**
 * A model by the address of its server, any language model of the AI SDK, or a policy that is asked by its tokens.
 *
 * @example
 * import { createServer } from "node:http";
 *
 * const choices = [{ message: { role: "assistant", content: "Paris" }, finish_reason: "stop" }];
 * const server = createServer((_, response) => response.end(JSON.stringify({ choices })));
 * await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
 * const { port } = server.address() as { port: number };
 * const model = openChatModel({ baseUrl: `http://127.0.0.1:${port}/v1`, model: "any" });
 * console.log((await model.complete([{ role: "user", content: "The capital of France?" }])).text); // Paris
 * server.closeAllConnections();
 * server.close();
 */
export function openChatModel(
  source: ChatServer | SdkLanguageModel | SpeakingPolicy,
  options: ChatModelOptions = {},
): ChatModel {
  checkOptions("openChatModel", options, CHAT_CHECKS);
  checkOptions("openChatModel", options.retry, CHAT_RETRY_CHECKS, "retry");
  const { clock = systemClock, concurrency = 8, seed = 0, timeoutMs = 120_000 } = options;
  const endpoint = endpointOf(source, clock);
  const account = createAccount(options.budget, options.prices);
  const cache =
    options.cache === undefined || options.cache === false ? undefined : createAnswerCache(folderOf(options.cache));
  const slots = createSlots(concurrency);
  const rng = createRng(seed);

  /** Everything around an attempt. A call that waits for its turn holds no part of the budget. */
  const call = <T>(work: (signal: AbortSignal) => Promise<T>, limits: CallLimits): Promise<T> =>
    slots.use(async () => {
      const release = account.reserve(limits.maxTokens);
      try {
        return await withRetries(() => inTime(work, { clock, timeoutMs, ...limits, id: endpoint.id }), {
          ...options.retry,
          clock,
          rng,
          signal: limits.signal,
          onRetry: () => (account.counters.retries += 1),
        });
      } catch (error) {
        if (!isAbort(error)) account.counters.failures += 1;
        throw error;
      } finally {
        release();
      }
    }, limits.signal);

  const ask = async (request: ChatRequest, limits: CallLimits): Promise<ChatCompletion> => {
    const { counts, ...answer } = await call((signal) => endpoint.send(request, signal), limits);
    const bytes = { prompt: bytesOf(request.messages), completion: bytesOf(answer) };
    return { ...answer, usage: account.book(counts, bytes), cached: false };
  };

  return {
    model: endpoint.model,
    counters: () => ({ ...account.counters }),
    complete: async (messages, { signal, timeoutMs: ownTimeoutMs, ...rest } = {}) => {
      throwIfAborted(signal);
      const request = { messages, ...rest };
      checkRequest(request);
      const limits = {
        signal,
        maxTokens: rest.maxTokens ?? 0,
        ...(ownTimeoutMs === undefined ? {} : { timeoutMs: ownTimeoutMs }),
      };
      if (cache === undefined) return await ask(request, limits);
      const key = answerKey(endpoint.id, request);
      const found = await cache.get(key);
      if (found !== undefined) {
        account.counters.cacheHits += 1;
        const { counts: _counts, ...answer } = found;
        return { ...answer, usage: { promptTokens: 0, completionTokens: 0, modelCalls: 0 }, cached: true };
      }
      const completion = await ask(request, limits);
      await cache.set(key, answerOf(completion));
      return completion;
    },
    scoreText: async (rows, { signal } = {}) => {
      const score = async (row: TextScoreRow, _: number, inner: AbortSignal): Promise<TokenLogprob[]> => {
        const scored = await call((attempt) => endpoint.score(row, attempt), { signal: inner, maxTokens: 0 });
        account.book(scored.counts, { prompt: bytesOf(row), completion: 0 });
        return scored.tokens;
      };
      return await mapLimit(rows, concurrency, score, signal === undefined ? {} : { signal });
    },
  };
}

interface CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly maxTokens: number;
  readonly timeoutMs?: number;
}

/** One attempt that is given up when its time is over or the caller cancels. */
async function inTime<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: {
    readonly clock: ChatClock;
    readonly timeoutMs: number;
    readonly signal: AbortSignal | undefined;
    readonly id: string;
  },
): Promise<T> {
  const { clock, timeoutMs, signal, id } = options;
  throwIfAborted(signal);
  const [stop, done] = [new AbortController(), new AbortController()];
  const forward = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  let late = false;
  clock.delay(timeoutMs, done.signal).then(
    () => {
      late = true;
      stop.abort();
    },
    // The attempt was over first.
    () => undefined,
  );
  try {
    return await abortable(work(stop.signal), stop.signal);
  } catch (error) {
    if (!late || signal?.aborted === true) throw error;
    throw attemptFailed(`${id} did not answer within ${timeoutMs} ms; raise timeoutMs or ask for fewer tokens.`, {
      code: "chat-failed",
      retryable: true,
    });
  } finally {
    done.abort();
    signal?.removeEventListener("abort", forward);
  }
}

function endpointOf(source: ChatServer | SdkLanguageModel | SpeakingPolicy, clock: ChatClock): ChatEndpoint {
  if (typeof source === "object") {
    if ("dialect" in source) return createPolicyEndpoint(source);
    if ("baseUrl" in source) return createServerEndpoint(source, clock);
    if (typeof source.doGenerate === "function") return createSdkEndpoint(source, clock);
  }
  throw new EngineError(
    "bad-option",
    "A chat model is {baseUrl, model, apiKey?}, a language model of the AI SDK (an object with doGenerate), or a policy: {policy, dialect}.",
  );
}

function folderOf(cache: true | { readonly folder: string }): string | undefined {
  return cache === true ? undefined : cache.folder;
}

function answerOf({ usage, cached: _cached, ...answer }: ChatCompletion): ChatAnswer {
  const { promptTokens, completionTokens, cachedTokens } = usage;
  const counts = { promptTokens, completionTokens, cachedTokens };
  return { ...answer, counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)) };
}

function checkRequest({ messages, ...request }: ChatRequest): void {
  if (messages.length === 0) throw new EngineError("empty-prompt", "There is no message to answer; give at least one.");
  checkSampleOptions(request);
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Part of every key; to be raised when the meaning of a stored answer changes. */
const FORMAT = 1;
/** Answers kept in memory; the oldest go first. */
const KEPT_ANSWERS = 10_000;

const json = z.record(z.string(), z.json());
const count = z.number().exactOptional();
const AnswerSchema = z.strictObject({
  text: z.string(),
  reasoning: z.string().exactOptional(),
  toolCalls: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      arguments: z.union([z.string(), z.custom<JsonObject>((value) => json.safeParse(value).success)]),
    }),
  ),
  finishReason: z.enum(["stop", "length", "tool-calls", "filtered"]),
  logprobs: z.array(z.strictObject({ text: z.string(), logprob: z.number() })).exactOptional(),
  counts: z.strictObject({ promptTokens: count, completionTokens: count, cachedTokens: count }),
});

/** Keys of objects are sorted, so that the order in which options were written does not matter. */
function answerKey(endpoint: string, request: ChatRequest): string {
  return createHash("sha256")
    .update(canonicalJson([FORMAT, endpoint, request]))
    .digest("hex");
}

/**
 * Answers by the content of their question: model, messages and every option that can change the reply, the seed among
 * them. In memory, and in a folder where one is given; a file that cannot be read is a question not yet asked.
 */
function createAnswerCache(folder: string | undefined) {
  const known = new Map<string, ChatAnswer>();
  const keep = (key: string, answer: ChatAnswer): void => {
    known.set(key, answer);
    const oldest = known.keys().next();
    if (known.size > KEPT_ANSWERS && oldest.done !== true) known.delete(oldest.value);
  };
  return {
    get: async (key: string): Promise<ChatAnswer | undefined> => {
      const found = known.get(key) ?? (folder === undefined ? undefined : await readAnswer(folder, key));
      if (found !== undefined) keep(key, found);
      return found;
    },
    set: async (key: string, answer: ChatAnswer): Promise<void> => {
      keep(key, answer);
      if (folder !== undefined) {
        // Another process never reads half an answer. One that is lost in a power cut is asked for again.
        await replaceFile(join(folder, `${key}.json`), (path) => writeFile(path, JSON.stringify(answer)));
      }
    },
  };
}

async function readAnswer(folder: string, key: string): Promise<ChatAnswer | undefined> {
  try {
    return AnswerSchema.parse(JSON.parse(await plainText(join(folder, `${key}.json`))));
  } catch {
    // Missing, damaged or of another format: the question is asked again, and the answer replaces the file.
    return undefined;
  }
}
