/** What a chat model has cost so far, and what it may cost. */
import { EngineError } from "limbeck-base/base/errors";
import type { Usage } from "limbeck-base/trajectory/trajectory";
import type { TokenCounts } from "./endpoint.ts";

export interface ChatPrices {
  readonly promptPerMillionUsd: number;
  readonly completionPerMillionUsd: number;
  /** For prompt tokens that the server had in its cache. Default: the price of a prompt. */
  readonly cachedPerMillionUsd?: number;
}

/**
 * No call begins when what has been spent, and the `maxTokens` of calls in flight, leave no room for its own. Prompts
 * are counted when the server reports them, so the last calls may go over by theirs.
 */
export interface ChatBudget {
  readonly calls?: number;
  /** Prompt and completion together. */
  readonly tokens?: number;
  /** Needs prices. */
  readonly costUsd?: number;
}

export interface ChatCounters {
  /** Replies and scores that were asked for and came from the server. */
  readonly calls: number;
  readonly retries: number;
  /** Calls that failed in the end; cancelled ones are not among them. */
  readonly failures: number;
  readonly cacheHits: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  /** 0 without prices. */
  readonly costUsd: number;
  /** Calls whose tokens the server did not count; a quarter of their UTF-8 bytes was taken instead. */
  readonly estimatedCalls: number;
}

const BYTES_PER_TOKEN = 4;

export function createAccount(budget: ChatBudget = {}, prices?: ChatPrices) {
  checkBudget(budget, prices);
  const counters = {
    calls: 0,
    retries: 0,
    failures: 0,
    cacheHits: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    costUsd: 0,
    estimatedCalls: 0,
  };
  const reserved = { calls: 0, tokens: 0 };
  const refuse = (name: keyof ChatBudget, spent: number, wanted: number): void => {
    const limit = budget[name];
    // A call that says it needs nothing still needs something.
    if (limit === undefined || (spent + wanted <= limit && spent < limit)) return;
    throw new EngineError(
      "chat-budget-spent",
      `The chat budget "${name}" allows ${limit}; ${Number(spent.toPrecision(6))} are spent or promised and the next call may take ${Number(wanted.toPrecision(6))}. Raise the budget or ask for fewer tokens.`,
      { details: { budget: name, limit, spent, wanted } },
    );
  };
  return {
    counters,
    /** Makes room for a call or refuses it; the result gives the room back. */
    reserve: (maxTokens: number): (() => void) => {
      const perToken = (prices?.completionPerMillionUsd ?? 0) / 1e6;
      refuse("calls", counters.calls + reserved.calls, 1);
      refuse("tokens", counters.promptTokens + counters.completionTokens + reserved.tokens, maxTokens);
      refuse("costUsd", counters.costUsd + reserved.tokens * perToken, maxTokens * perToken);
      reserved.calls += 1;
      reserved.tokens += maxTokens;
      return () => {
        reserved.calls -= 1;
        reserved.tokens -= maxTokens;
      };
    },
    /** Books what a call took. `bytes` stand in where the server did not count. */
    book: (counts: TokenCounts, bytes: { readonly prompt: number; readonly completion: number }): Usage => {
      const { cachedTokens = 0 } = counts;
      const promptTokens = counts.promptTokens ?? Math.ceil(bytes.prompt / BYTES_PER_TOKEN);
      const completionTokens = counts.completionTokens ?? Math.ceil(bytes.completion / BYTES_PER_TOKEN);
      const costUsd =
        prices === undefined ? undefined : costOf({ promptTokens, completionTokens, cachedTokens }, prices);
      counters.calls += 1;
      counters.promptTokens += promptTokens;
      counters.completionTokens += completionTokens;
      counters.cachedTokens += cachedTokens;
      counters.costUsd += costUsd ?? 0;
      if (counts.promptTokens === undefined || counts.completionTokens === undefined) counters.estimatedCalls += 1;
      return { ...counts, modelCalls: 1, ...(costUsd === undefined ? {} : { costUsd }) };
    },
  };
}

function costOf(counts: Required<TokenCounts>, prices: ChatPrices): number {
  const { promptPerMillionUsd, completionPerMillionUsd, cachedPerMillionUsd = promptPerMillionUsd } = prices;
  const fresh = Math.max(0, counts.promptTokens - counts.cachedTokens);
  const millionths =
    fresh * promptPerMillionUsd +
    counts.cachedTokens * cachedPerMillionUsd +
    counts.completionTokens * completionPerMillionUsd;
  return millionths / 1e6;
}

function checkBudget(budget: ChatBudget, prices: ChatPrices | undefined): void {
  for (const [name, limit] of Object.entries({ ...budget, ...prices })) {
    if (typeof limit === "number" && limit >= 0) continue;
    throw new EngineError(
      "bad-option",
      `The chat model's ${name} is ${String(limit)}; it must be a number of at least 0.`,
    );
  }
  if (budget.costUsd === undefined || prices !== undefined) return;
  throw new EngineError("bad-option", 'The chat budget "costUsd" cannot be kept without `prices`; give them.');
}
