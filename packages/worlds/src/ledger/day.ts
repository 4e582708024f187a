/** A day of a shop: what is in its books in the morning, and what happens. */
import { z } from "zod";
import { lookUp } from "limbeck-base/base/registry";
import { pick, type Rng } from "limbeck-base/base/rng";
import { words, worldTable } from "limbeck-core/env/world-data";
import { writeWording } from "limbeck-core/env/wording";

export const ACCOUNTS = ["cash", "bank", "stock", "sales", "costs", "debts"] as const;
export type Account = (typeof ACCOUNTS)[number];

export type Books = Readonly<Record<Account, number>>;

const eventIds = [
  "cash-sale",
  "bank-sale",
  "cash-purchase",
  "rent",
  "wages",
  "deposit",
  "credit-purchase",
  "credit-sale",
  "repayment",
  "goods-back",
  "all-cash",
] as const;
type EventId = (typeof eventIds)[number];

const account = z.enum(ACCOUNTS);

export const ledgerWords = worldTable(
  "ledger.json",
  z.strictObject({
    goods: words,
    events: z.record(
      z.enum(eventIds),
      z.strictObject({ from: account, to: account, wordings: z.array(z.string()).min(1) }),
    ),
  }),
);

interface Level {
  readonly bookings: number;
  readonly events: readonly EventId[];
}

/** In order of difficulty: an amount that stands there, one that is worked out, one that is looked up in the books. */
export const levels = {
  small: { bookings: 3, events: eventIds.slice(0, 6) },
  medium: { bookings: 4, events: eventIds.slice(0, 10) },
  large: { bookings: 6, events: eventIds },
} as const satisfies Record<string, Level>;

export type LevelId = keyof typeof levels;

export interface Booking {
  readonly amount: number;
  readonly from: Account;
  readonly to: Account;
}

interface Event {
  readonly text: string;
  readonly from: Account;
  readonly to: Account;
  /** None: all the cash that the books show then. */
  readonly amount: number | undefined;
}

export interface Day {
  readonly morning: Books;
  readonly events: readonly Event[];
}

export function drawDay(levelId: string, rng: Rng): Day {
  const level = lookUp<Level>(levels, levelId, "ledger level");
  const between = (least: number, most: number): number => least + rng.int(most - least + 1);
  const morning = { cash: between(100, 300), bank: between(200, 600), stock: 0, sales: 0, costs: 0, debts: 0 };
  return { morning, events: Array.from({ length: level.bookings }, () => drawEvent(level.events, rng)) };
}

function drawEvent(ids: readonly EventId[], rng: Rng): Event {
  const { goods, events } = ledgerWords();
  const id = pick(ids, rng) as EventId;
  const { from, to, wordings } = events[id];
  const [count, price, stated] = [2 + rng.int(8), 3 + rng.int(17), 5 + rng.int(95)];
  const text = writeWording(pick(wordings, rng) as string, {
    goods: pick(goods, rng) as string,
    count: String(count),
    price: String(price),
    amount: String(stated),
  });
  const isWorkedOut = id === "credit-purchase" || id === "credit-sale";
  return { text, from, to, amount: id === "all-cash" ? undefined : isWorkedOut ? count * price : stated };
}

export function dayKey({ morning, events }: Day): string {
  return JSON.stringify([morning, events.map(({ text }) => text)]);
}

/** The right booking of an event, by the books as they stand: an error before it is not held against it. */
export function rightBooking({ from, to, amount }: Event, books: Books): Booking {
  return { from, to, amount: amount ?? Math.max(0, books[from]) };
}

export function book(books: Books, { amount, from, to }: Booking): Books {
  return { ...books, [from]: books[from] - amount, [to]: books[to] + amount };
}
