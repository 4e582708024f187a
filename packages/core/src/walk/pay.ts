/** Paying for calls of a model and for steps of a world, beforehand: no limit is ever passed. */
import { errorCode } from "limbeck-base/base/errors";
import type { Need, Prices, Purse } from "./purse.ts";
import type { Caller } from "./calls.ts";
import type { Mind, SpeakOptions, Spoken } from "./mind/agent.ts";

/** Tokens that a call took. */
export interface CallUse {
  readonly read: number;
  readonly said: number;
  readonly modelCalls: number;
}

export interface CallNeed {
  /** Tokens of the prompt, or a bound that they cannot pass. */
  readonly read: number;
  /** Most tokens of the answer. 0: a call that only reads. */
  readonly said: number;
}

/** What one call needs at most. */
export function callNeed({ read, said }: CallNeed, prices: Prices): Need {
  return {
    modelCalls: 1,
    tokens: read + said,
    sampledTokens: said,
    picodollars: read * prices.read + said * prices.said,
  };
}

/**
 * Sets one call aside and says how many tokens it may say, which is less than asked for when only less is left.
 * Undefined, and nothing set aside, when not even one token could be paid. `settleCall` follows with the same number.
 */
export function holdCall(purse: Purse, { read, said }: CallNeed, prices: Prices): number | undefined {
  if (purse.isUnlimited) return purse.left("seconds") > 0 ? said : undefined;
  const money = prices.said === 0 ? Infinity : (purse.left("picodollars") - read * prices.read) / prices.said;
  const dear = purse.left("picodollars") < read * prices.read;
  const most = Math.floor(Math.min(said, purse.left("sampledTokens"), purse.left("tokens") - read, dear ? 0 : money));
  const isPaid = purse.left("modelCalls") >= 1 && most >= Math.min(1, said) && purse.left("seconds") > 0;
  if (!isPaid) return undefined;
  purse.reserve("modelCalls", 1);
  purse.reserve("sampledTokens", most);
  purse.reserve("tokens", read + most);
  purse.reserve("picodollars", read * prices.read + most * prices.said);
  return most;
}

/** Books what a call took of what was set aside for it: `need.said` is what `holdCall` gave. */
export function settleCall(purse: Purse, need: CallNeed, { read, said, modelCalls }: CallUse, prices: Prices): void {
  const held = purse.isUnlimited ? 0 : 1;
  purse.settle("modelCalls", held, modelCalls);
  purse.settle("sampledTokens", held * need.said, said);
  purse.settle("tokens", held * (need.read + need.said), read + said);
  purse.settle("picodollars", held * (need.read * prices.read + need.said * prices.said), read * prices.read + said * prices.said); // prettier-ignore
}

/** Makes a model call from a purse that others use too: first come, first served. Undefined when it cannot be paid. */
export async function payForCall<Result>(
  purse: Purse,
  { read, said }: CallNeed,
  prices: Prices,
  work: (maxTokens: number, used: (use: CallUse) => void) => Promise<Result>,
): Promise<Result | undefined> {
  const own = purse.isUnlimited ? purse : await purse.draw(callNeed({ read, said }, prices));
  try {
    const most = holdCall(own, { read, said }, prices);
    if (most === undefined) return undefined;
    let use: CallUse = { read: 0, said: 0, modelCalls: 0 };
    try {
      return await work(most, (reported) => (use = reported));
    } finally {
      settleCall(own, { read, said: most }, use, prices);
    }
  } finally {
    if (own !== purse) own.close();
  }
}

/** Pays environment steps from a purse of one's own; false, and nothing spent, when they are not all there. */
export function paySteps(purse: Purse, count: number): boolean {
  if (count === 0) return true;
  const isPaid = purse.left("envSteps") >= count && purse.left("seconds") > 0;
  if (isPaid) purse.settle("envSteps", 0, count);
  return isPaid;
}

/** The same from a purse that others use too. */
export function payForSteps(purse: Purse, count: number): boolean | Promise<boolean> {
  return count === 0 || purse.isUnlimited ? paySteps(purse, count) : payFromOwn(purse, count);
}

async function payFromOwn(purse: Purse, count: number): Promise<boolean> {
  const own = await purse.draw({ envSteps: count });
  const isPaid = paySteps(own, count);
  own.close();
  return isPaid;
}

/** Pays tokens that are read without a call, from a purse that others use too; false, and nothing spent, when they are not there. */
export async function payForReading(purse: Purse, tokens: number): Promise<boolean> {
  const own = purse.isUnlimited ? purse : await purse.draw({ tokens });
  try {
    const isPaid = own.left("tokens") >= tokens && own.left("seconds") > 0;
    if (isPaid) own.settle("tokens", 0, tokens);
    return isPaid;
  } finally {
    if (own !== purse) own.close();
  }
}

/** Works on all of them at the same time, each with a purse of its own, all asked for in order before any begins. */
export async function withPurses<Result>(
  purse: Purse,
  count: number,
  need: Need,
  work: (index: number, own: Purse) => Promise<Result>,
): Promise<Result[]> {
  const purses = Array.from({ length: count }, () => purse.draw(need));
  const outcomes = await Promise.allSettled(
    purses.map(async (drawn, index) => {
      const own = await drawn;
      try {
        return await work(index, own);
      } finally {
        own.close();
      }
    }),
  );
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
  if (failures.length > 0) throw firstCause(failures);
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Result>).value);
}

/** An error is worth more than the cancellations it caused. */
function firstCause(failures: readonly unknown[]): unknown {
  return failures.find((error) => errorCode(error) !== "cancelled") ?? failures[0];
}

// One call of a mind: paid for beforehand, within its time limit, booked as it came out.

/** The speaking mind, and its prices. */
export interface Speaker {
  readonly mind: Mind;
  readonly calls: Caller;
  readonly prices: Prices;
  readonly admissible: SpeakOptions["admissible"];
  /** What it is drawn at. Default: the agent's own temperature. */
  readonly temperature?: number | undefined;
}

/** Sets one call aside: what it reads, and how much it may say. Undefined when not one token could be paid. */
export function holdSpeech({ mind, prices }: Speaker, purse: Purse, most: number): CallNeed | undefined {
  // An answer that goes on reads nothing again.
  const read = mind.said > 0 ? 0 : (mind.promptTokens?.() ?? 0);
  const said = holdCall(purse, { read, said: most }, prices);
  return said === undefined ? undefined : { read, said };
}

/** Says what was set aside, and books what it took. No async function, for the same reason as in `calls.ts`. */
export function speak(speaker: Speaker, purse: Purse, held: CallNeed): Promise<Spoken> {
  const { mind, calls, prices, admissible, temperature } = speaker;
  const { read, said: maxTokens } = held;
  const booked = (use: CallUse): void => settleCall(purse, held, use, prices);
  const failed = (error: unknown): never => {
    booked({ read, said: 0, modelCalls: 1 });
    throw error;
  };
  let saying: Promise<Spoken>;
  try {
    saying = calls.policy(({ signal }) => mind.speak({ maxTokens, signal, admissible, temperature }));
  } catch (error) {
    return failed(error);
  }
  return saying.then((spoken) => {
    const { tokens: said, modelCalls } = spoken;
    // Where a server has counted, its count is what is billed.
    booked({ read: spoken.read ?? read, said, modelCalls });
    return spoken;
  }, failed);
}
