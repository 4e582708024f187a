/** Scripted bookkeepers: they read the event and the books that are shown. */
import { pick, type Rng } from "limbeck-base/base/rng";
import type { Demonstrator } from "limbeck-core/env/expert";
import { readWording } from "limbeck-core/env/wording";
import { ledgerWords, type Account, type Booking } from "./day.ts";

export const expert = bookkeeper("expert", "Reads what happened and books it.", (right) => right);

export const careless = bookkeeper(
  "careless",
  "Books one event in four the wrong way round, or with a number that is near.",
  (right, rng) => {
    if (rng.float() >= 0.25) return right;
    const { amount, from, to } = right;
    return rng.float() < 0.5 ? { amount, from: to, to: from } : { ...right, amount: amount + 1 + rng.int(9) };
  },
);

function bookkeeper(id: string, summary: string, hand: (right: Booking, rng: Rng) => Booking): Demonstrator {
  return {
    id,
    summary,
    start: (_task, rng) => ({
      next: ({ observation, admissible = [] }) => {
        const right = readEvent(observation);
        if (right === undefined) return pick(admissible, rng) ?? "";
        const { amount, from, to } = hand(right, rng);
        return `book ${amount} from ${from} to ${to}`;
      },
    }),
  };
}

function readEvent(observation: string): Booking | undefined {
  const text = /^Event \d+ of \d+: (.*)$/m.exec(observation)?.[1] ?? "";
  for (const { from, to, wordings } of Object.values(ledgerWords().events)) {
    for (const wording of wordings) {
      const found = readWording(wording, text);
      if (found === undefined) continue;
      const { amount, count, price } = found;
      const worked = count === undefined ? amount : String(Number(count) * Number(price));
      return { from, to, amount: Math.max(0, Number(worked ?? balance(observation, from))) };
    }
  }
  return undefined;
}

function balance(observation: string, account: Account): number {
  return Number(new RegExp(`\\b${account} (-?\\d+)`).exec(observation)?.[1] ?? 0);
}
