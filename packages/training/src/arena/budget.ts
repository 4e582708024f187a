/** What a run may spend. All arms of a plan have the same budget in the same account; evaluations are not charged. */
import { EngineError } from "limbeck-base/base/errors";
import type { Spent } from "../training/events.ts";
import type { Spending } from "./journal.ts";

/**
 * What is counted: steps of training episodes, tokens sampled in them, tokens that went through any model (read, sampled,
 * scored by a teacher or a provider), seconds of the updates, updates.
 */
export const accounts = ["steps", "tokens", "model-tokens", "seconds", "updates"] as const;
export type Account = (typeof accounts)[number];

export interface Budget {
  readonly account: Account;
  readonly amount: number;
}

/** "steps=20000", "seconds=600". */
export function parseBudget(text: string): Budget {
  const [account = "", amount = "", ...rest] = text.split("=");
  const value = Number(amount);
  const known = accounts.find((name) => name === account);
  const whole = account === "seconds" || Number.isInteger(value);
  if (known === undefined || rest.length > 0 || amount.trim() === "" || !(value > 0) || !whole) {
    throw new EngineError(
      "usage",
      `"${text}" is not a budget; give ${accounts.map((name) => `${name}=N`).join(", ")} with N above 0: steps=20000.`,
    );
  }
  return { account: known, amount: value };
}

/** More updates than anybody waits for; a budget in another account ends the run before. */
const MOST_UPDATES = 100_000;

/** The first update that reaches the budget is the last. */
export function endOf({ account, amount }: Budget): {
  readonly steps: number;
  readonly enough: (spent: Spent) => boolean;
} {
  if (account === "updates") return { steps: amount, enough: () => false };
  const spentIn = (spent: Spent): number => spentAt(account, { ...spent, seconds: spent.updateSeconds, update: 0 });
  return { steps: MOST_UPDATES, enough: (spent) => spentIn(spent) >= amount };
}

/** What had been spent after an update, in an account. */
export function spentAt(
  account: Account,
  line: Pick<Spending, "environmentSteps" | "sampledTokens" | "modelTokens" | "seconds"> & { readonly update: number },
): number {
  if (account === "updates") return line.update;
  if (account === "steps") return line.environmentSteps;
  if (account === "model-tokens") return line.modelTokens + line.sampledTokens;
  return account === "tokens" ? line.sampledTokens : line.seconds;
}
