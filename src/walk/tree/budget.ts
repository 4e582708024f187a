/**
 * What a search may spend. Everything is drawn from one account before it is spent (`rollout/account.ts`): who gets the
 * last call follows from the order of asking, never from who was quicker, and no limit is ever passed.
 */
import { EngineError } from "../../base/index.ts";
import { createAccountOf, isUnlimited, type PurseOf } from "../purse.ts";

/** Limits of one search; what is not given is not limited. */
export interface SearchBudget {
  readonly modelCalls?: number;
  /** Tokens read and said. A call reads its whole prompt, as servers bill it. */
  readonly tokens?: number;
  readonly sampledTokens?: number;
  readonly envSteps?: number;
  /** Needs prices. */
  readonly usd?: number;
  readonly seconds?: number;
}

export interface TokenPrices {
  /** US dollars for a million tokens. */
  readonly usdPerMillionRead: number;
  readonly usdPerMillionSaid: number;
}

export interface SearchSpending {
  readonly modelCalls: number;
  readonly tokens: number;
  readonly sampledTokens: number;
  readonly envSteps: number;
  readonly usd: number;
  readonly seconds: number;
}

/** Money is counted in whole picodollars, so that sums of small prices are exact. */
const KINDS = ["modelCalls", "tokens", "sampledTokens", "envSteps", "picodollars"] as const;
type Kind = (typeof KINDS)[number];
const PICO = 1e12;

export const budgetKinds = ["modelCalls", "tokens", "sampledTokens", "envSteps", "usd", "seconds"] as const;

export type SearchPurse = PurseOf<Kind>;
export type SearchNeed = { readonly [Name in Kind]?: number };

/** Picodollars of one token. */
export interface Prices {
  readonly read: number;
  readonly said: number;
}

export const FREE: Prices = { read: 0, said: 0 };

export function priceOf(prices: TokenPrices | undefined): Prices {
  if (prices === undefined) return FREE;
  for (const [name, value] of Object.entries(prices)) {
    if (Number.isFinite(value) && value >= 0) continue;
    throw new EngineError("bad-limit", `The price ${name} is ${value}; it must be a number of at least 0.`);
  }
  return { read: Math.ceil(prices.usdPerMillionRead * 1e6), said: Math.ceil(prices.usdPerMillionSaid * 1e6) };
}

export function createSearchPurse(budget: SearchBudget, prices: Prices, now: () => number): SearchPurse {
  const unknown = Object.keys(budget).find((name) => !(budgetKinds as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new EngineError("bad-limit", `No limit "${unknown}". Known: ${budgetKinds.join(", ")}.`);
  }
  const { usd, ...limits } = budget;
  if (usd !== undefined && prices.read === 0 && prices.said === 0) {
    throw new EngineError("bad-limit", `A limit of ${usd} US dollars needs prices; give them, or limit the tokens.`);
  }
  return createAccountOf(
    KINDS,
    { ...limits, ...(usd === undefined ? {} : { picodollars: Math.floor(usd * PICO) }) },
    now,
  );
}

export function spendingOf({ spent: { picodollars, ...spent } }: SearchPurse): SearchSpending {
  return { ...spent, usd: picodollars / PICO };
}

/** Tokens that a call took. */
export interface CallUse {
  readonly read: number;
  readonly said: number;
  readonly modelCalls: number;
}

export interface CallNeed {
  /** Tokens of the prompt, or a bound that they cannot pass. */
  readonly read: number;
  /** Most tokens of the answer. */
  readonly said: number;
}

/** What one call needs at most. */
export function callNeed({ read, said }: CallNeed, prices: Prices): SearchNeed {
  return {
    modelCalls: 1,
    tokens: read + said,
    sampledTokens: said,
    picodollars: read * prices.read + said * prices.said,
  };
}

/**
 * Makes a model call within the budget: `work` is told how many tokens it may say, which is less than asked for when
 * only less is left. Undefined, and nothing done, when not even one token could be paid. A need of 0 tokens is a call that
 * only reads.
 */
export async function payForCall<Result>(
  purse: SearchPurse,
  need: CallNeed,
  prices: Prices,
  work: (maxTokens: number, used: (use: CallUse) => void) => Promise<Result>,
): Promise<Result | undefined> {
  const own = isUnlimited(purse) ? purse : await purse.draw(callNeed(need, prices));
  let use = NO_USE;
  try {
    const most = tokensToSay(own, need, prices);
    return most === undefined ? undefined : await work(most, (reported) => (use = reported));
  } finally {
    settleCall(own, use, prices);
    if (own !== purse) own.close();
  }
}

export const NO_USE: CallUse = { read: 0, said: 0, modelCalls: 0 };

/** How many tokens a call may say; undefined when it cannot be paid. */
export function tokensToSay(own: SearchPurse, { read, said }: CallNeed, prices: Prices): number | undefined {
  const money = prices.said === 0 ? Infinity : (own.left("picodollars") - read * prices.read) / prices.said;
  const dear = own.left("picodollars") < read * prices.read;
  const most = Math.floor(Math.min(said, own.left("sampledTokens"), own.left("tokens") - read, dear ? 0 : money));
  const isPaid = own.left("modelCalls") >= 1 && most >= Math.min(1, said) && own.left("seconds") > 0;
  return isPaid ? most : undefined;
}

export function settleCall(own: SearchPurse, { read, said, modelCalls }: CallUse, prices: Prices): void {
  own.settle("modelCalls", 0, modelCalls);
  own.settle("tokens", 0, read + said);
  own.settle("sampledTokens", 0, said);
  own.settle("picodollars", 0, read * prices.read + said * prices.said);
}

/** Pays environment steps beforehand; false, and nothing spent, when they are not all there. */
export function payForSteps(purse: SearchPurse, count: number): boolean | Promise<boolean> {
  if (count === 0) return true;
  return isUnlimited(purse) ? paySteps(purse, count) : payFromOwn(purse, count);
}

async function payFromOwn(purse: SearchPurse, count: number): Promise<boolean> {
  const own = await purse.draw({ envSteps: count });
  const isPaid = paySteps(own, count);
  own.close();
  return isPaid;
}

function paySteps(own: SearchPurse, count: number): boolean {
  const isPaid = own.left("envSteps") >= count && own.left("seconds") > 0;
  if (isPaid) own.settle("envSteps", 0, count);
  return isPaid;
}
