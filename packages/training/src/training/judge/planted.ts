/** Bookings with planted faults, whose truth is known: what judges learn from and are measured by. */
import { pick, type Rng } from "limbeck-base/base/rng";
import { ACCOUNTS, drawDay, type Account, type Booking } from "limbeck-worlds/ledger/day";

/** How a booking can be wrong. */
export const FAULTS = ["swapped", "wrong source", "wrong target", "near amount"] as const;
export type PlantedFault = (typeof FAULTS)[number];

export interface Planted {
  /** What happened, as the world says it. */
  readonly event: string;
  readonly right: Booking;
  readonly given: Booking;
  readonly fault: PlantedFault | undefined;
}

/** An event of the small days, whose amounts stand in the text, booked rightly or with this fault. */
export function plant(fault: PlantedFault | undefined, rng: Rng): Planted {
  for (;;) {
    const event = drawDay("small", rng).events[0];
    if (event?.amount === undefined) continue;
    const right: Booking = { amount: event.amount, from: event.from, to: event.to };
    return { event: event.text, right, given: fault === undefined ? right : spoil(right, fault, rng), fault };
  }
}

/** Half of them right; the others with one of these faults. */
export function plantMany(count: number, faults: readonly PlantedFault[], rng: Rng, share = 0.5): Planted[] {
  return Array.from({ length: count }, () => plant(rng.float() < share ? pick(faults, rng) : undefined, rng));
}

export function spoil(right: Booking, fault: PlantedFault, rng: Rng): Booking {
  const { amount, from, to } = right;
  const another = (): Account =>
    pick(
      ACCOUNTS.filter((name) => name !== from && name !== to),
      rng,
    ) as Account;
  if (fault === "swapped") return { amount, from: to, to: from };
  if (fault === "wrong source") return { ...right, from: another() };
  if (fault === "wrong target") return { ...right, to: another() };
  return { ...right, amount: amount + 1 + rng.int(9) };
}

export function bookingText({ amount, from, to }: Booking): string {
  return `book ${amount} from ${from} to ${to}`;
}

/** What a judge of bookings reads. */
export function plantedText({ event, given }: Pick<Planted, "event" | "given">): string {
  return `${event}\n${bookingText(given)}`;
}

/**
 * The same of a step as it was recorded. Only what the world itself writes for an event and the first line of the action are
 * read: the rest is ignored.
 */
export function stepText(observation: string, action: string): string {
  const events = [...observation.matchAll(/^Event \d+ of \d+: (.{1,200})$/gm)].map(([, text = ""]) => text);
  const [booking = ""] = action.split("\n");
  return `${events[0] ?? ""}\n${/^book \d{1,6} from \w{1,9} to \w{1,9}$/.test(booking.trim()) ? booking.trim() : "no booking"}`;
}

/** F1 of faults that were found. */
export function f1Of(found: readonly boolean[], truth: readonly boolean[]): number {
  const both = found.filter((is, at) => is && truth[at] === true).length;
  const named = found.filter(Boolean).length + truth.filter(Boolean).length;
  return named === 0 ? 1 : (2 * both) / named;
}
