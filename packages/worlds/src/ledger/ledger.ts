/** Ledger: book what happened, one event after the other; each booking is checked for itself. */
import { scored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Task } from "limbeck-base/trajectory/trajectory";
import { drawnEnv } from "limbeck-core/env/drawn-tasks";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import {
  ACCOUNTS,
  book,
  dayKey,
  drawDay,
  levels,
  rightBooking,
  type Account,
  type Booking,
  type Books,
  type Day,
  type LevelId,
} from "./day.ts";

export interface LedgerOptions {
  /** Seed of the days. Default: 1. */
  readonly seed?: number;
  /** Bookings of a day: 3, 4 or 6. Default: "small". */
  readonly level?: LevelId;
  /** When the observation names the wrong bookings. Default: "end". */
  readonly marks?: "end" | "each";
}

export const LEDGER_SUMMARY = "Book a day's events one by one; every booking is checked for itself.";

/** Answers that are no booking may be given so often. */
const SPARE_STEPS = 4;

/**
 * Days of a shop, to be written into its books.
 *
 * @example
 * for await (const { goal } of createLedger({ seed: 1 }).tasks("train", { count: 1 })) console.log(goal); // Book the 3 events of the day, each as: book AMOUNT from ACCOUNT to ACCOUNT.
 */
export function createLedger({ seed = 1, level = "small", marks = "end" }: LedgerOptions = {}): Env {
  return drawnEnv({
    id: "ledger",
    summary: LEDGER_SUMMARY,
    maxSteps: levels[level].bookings + SPARE_STEPS,
    seed,
    dial: level,
    draw: drawDay,
    key: dayKey,
    goal: ({ events }) => `Book the ${events.length} events of the day, each as: book AMOUNT from ACCOUNT to ACCOUNT.`,
    open: (task, day) => openDay(task, day, marks === "each"),
  });
}

interface Desk {
  readonly books: Books;
  /** Of each booking so far, whether it was right. */
  readonly right: readonly boolean[];
  readonly steps: number;
  readonly ending: Ending | undefined;
}

export function openDay(task: Task, { morning, events }: Day, areMarked: boolean): Episode {
  const count = events.length;
  const start: Desk = { books: morning, right: [], steps: 0, ending: undefined };
  const rights = ({ right }: Desk): number => right.filter(Boolean).length;
  const reward = (desk: Desk): Score => scored(rights(desk) / count);
  return episodeOf(task, start, {
    observation: (desk) => shown(task, events, desk, areMarked),
    stateKey: ({ books, right, ending }) =>
      `${ACCOUNTS.map((name) => books[name]).join(" ")}, right ${right.map(Number).join("")}${ending === undefined ? "" : `, ${ending}`}`,
    ending: ({ ending }) => ending,
    reward,
    success: (desk) => (desk.ending === undefined ? null : rights(desk) === count),
    admissible: ({ books, right, ending }) =>
      ending === undefined ? listBookings(events[right.length]?.text ?? "", books) : [],
    step: (before, action) => {
      const given = readBooking(action);
      const event = events[before.right.length];
      const steps = before.steps + 1;
      const isLate = steps >= count + SPARE_STEPS;
      if (given === undefined || event === undefined) {
        const state: Desk = { ...before, steps, ...(isLate ? { ending: "truncated" } : {}) };
        return { state, valid: false, reward: scored(0), info: { parts: { booking: 0, accounts: 0, amount: 0 } } };
      }
      const wanted = rightBooking(event, before.books);
      const accounts = given.from === wanted.from && given.to === wanted.to;
      const amount = given.amount === wanted.amount;
      const right = [...before.right, accounts && amount];
      const ending: Ending | undefined = right.length === count ? "terminated" : isLate ? "truncated" : undefined;
      return {
        state: { books: book(before.books, given), right, steps, ending },
        valid: true,
        reward: scored(accounts && amount ? 1 / count : 0),
        info: {
          parts: { booking: Number(accounts && amount), accounts: Number(accounts), amount: Number(amount) },
        },
      };
    },
  });
}

/** The booking that a text says; undefined for anything else. */
function readBooking(text: string): Booking | undefined {
  const [, amount, from, to] = /^book (\d{1,6}) from (\w{1,9}) to (\w{1,9})$/.exec(text.trim()) ?? [];
  const isAccount = (name: string | undefined): name is Account => ACCOUNTS.some((known) => known === name);
  if (amount === undefined || !isAccount(from) || !isAccount(to) || from === to) return undefined;
  return { amount: Number(amount), from, to };
}

/** Every way to book an amount that stands there, or that its numbers or the books give. */
function listBookings(event: string, { cash }: Books): string[] {
  const stated = (event.match(/\d+/g) ?? []).map(Number);
  const product = stated.reduce((all, one) => all * one, 1);
  const amounts = [...new Set(stated.length === 0 ? [Math.max(0, cash)] : [...stated, product])];
  return ACCOUNTS.flatMap((from) =>
    ACCOUNTS.filter((to) => to !== from).flatMap((to) =>
      amounts.map((amount) => `book ${amount} from ${from} to ${to}`),
    ),
  );
}

function shown(task: Task, events: Day["events"], { books, right, ending }: Desk, areMarked: boolean): string {
  const table = `Books: ${ACCOUNTS.map((name) => `${name} ${books[name]}`).join(", ")}.`;
  if (ending !== undefined) return `${table}\n${verdict(right, events.length)}`;
  const next = `Event ${right.length + 1} of ${events.length}: ${events[right.length]?.text}`;
  if (right.length === 0) return `${task.goal}\n${table}\n${next}`;
  const mark = areMarked ? [right.at(-1) === true ? "That was right." : "That was wrong."] : [];
  return [...mark, table, next].join("\n");
}

function verdict(right: readonly boolean[], count: number): string {
  const wrong = right.flatMap((is, at) => (is ? [] : [at + 1]));
  const missing = right.length < count ? ` Not booked: ${count - right.length}.` : "";
  return `${right.length - wrong.length} of ${count} bookings are right.${wrong.length === 0 ? "" : ` Wrong: ${wrong.join(", ")}.`}${missing}`;
}
