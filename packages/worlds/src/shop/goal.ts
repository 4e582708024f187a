/** What a shopper is after: the instruction shown, and what a purchase is scored against. */
import { shuffle, type Rng } from "limbeck-base/base/rng";

export interface GoalOption {
  /** Present in synthetic goals, which are compared as pairs; absent in human ones, which name values only. */
  readonly name?: string;
  readonly value: string;
}

export interface Goal {
  /** Position of the product it was written for. */
  readonly product: number;
  readonly instruction: string;
  readonly attributes: readonly string[];
  readonly options: readonly GoalOption[];
  /** Highest price that counts; NO_CAP when the price does not matter. */
  readonly priceCap: number;
}

/** The original's number for "no cap". */
export const NO_CAP = 1_000_000;

const HIGHEST_CAP = 990;

/**
 * Of the multiples of 10 above the price, up to 990, take the first four, draw two, use the larger.
 * With fewer than two left there is no cap.
 */
export function drawPriceCap(price: number, rng: Rng): number {
  const caps: number[] = [];
  for (let cap = 10; cap <= HIGHEST_CAP && caps.length < 4; cap += 10) if (cap > price) caps.push(cap);
  return caps.length < 2 ? NO_CAP : Math.max(...shuffle(caps, rng).slice(0, 2));
}

/** The tail of an instruction that tells the options, empty without any. The same words as in the official goals. */
export function optionClause(options: readonly GoalOption[]): string {
  return options.length === 0 ? "" : ` with ${options.map(({ name, value }) => `${name}: ${value}`).join(", and ")}`;
}

/** The tail of an instruction that tells the cap, empty without one. The same words as in the official goals. */
export function priceClause(cap: number): string {
  return cap === NO_CAP ? "" : `, and price lower than ${cap.toFixed(2)} dollars`;
}

/** Without those whose instruction came before: two splits must not share a text. */
export function distinctGoals(goals: readonly Goal[]): Goal[] {
  const seen = new Set<string>();
  return goals.filter(({ instruction }) => {
    const isNew = !seen.has(instruction);
    seen.add(instruction);
    return isNew;
  });
}
