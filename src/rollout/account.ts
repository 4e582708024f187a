/**
 * One budget account for everything a rollout spends. Purses form a tree: what a purse spends, its parents have spent.
 *
 * Nothing is spent that was not set aside before. Purses are handed out in the order of asking: one is granted when its
 * whole need fits beside the needs of those still out, and waits otherwise; when no other is out it gets what is left.
 * So who gets the last token depends on the order of asking and on what was spent, never on who was quicker.
 */
import { EngineError } from "../base/index.ts";

export const spendingKinds = ["envSteps", "sampledTokens", "reusedTokens", "modelCalls", "seconds"] as const;
export type SpendingKind = (typeof spendingKinds)[number];

/** `reusedTokens`: context that branches shared instead of reading and sampling it. */
export type Spending = Readonly<Record<SpendingKind, number>>;
export type Limits = Partial<Spending>;

/** Kinds that are set aside before work; seconds pass by themselves. */
type DrawnKind = Exclude<SpendingKind, "seconds">;
const drawnKinds = spendingKinds.filter((kind) => kind !== "seconds") as readonly DrawnKind[];

export type Purse = PurseOf<DrawnKind>;

type LimitsOf<Kind extends string> = { readonly [Name in Kind | "seconds"]?: number };

/** A purse of other kinds than a rollout's own: a search counts money too. */
export interface PurseOf<Kind extends string> {
  readonly spent: Readonly<Record<Kind | "seconds", number>>;
  /** What may still be set aside. */
  left(kind: Kind | "seconds"): number;
  /** Sets aside up to `amount`; the answer is how much was there. */
  reserve(kind: Kind, amount: number): number;
  /** Books what was used of a reservation; the rest is free again. */
  settle(kind: Kind, reserved: number, used: number): void;
  /** A purse within this one. Granted in the order of asking. */
  draw(need: LimitsOf<Kind>): Promise<PurseOf<Kind>>;
  /** Gives back what was not spent. From then on it spends from its parent's. */
  close(): void;
}

interface Ticket<Kind extends string> {
  readonly need: LimitsOf<Kind>;
  readonly grant: (purse: PurseOf<Kind>) => void;
}

/** `now` gives milliseconds that only grow. */
export function createAccount(limits: Limits, now: () => number): Purse {
  return createAccountOf(drawnKinds, limits, now);
}

/** The same for kinds of one's own; seconds are always among them. */
export function createAccountOf<Kind extends string>(
  kinds: readonly Kind[],
  limits: LimitsOf<Kind>,
  now: () => number,
): PurseOf<Kind> {
  const known: readonly string[] = [...kinds, "seconds"];
  for (const [kind, limit] of Object.entries(limits)) {
    if (!known.includes(kind)) {
      throw new EngineError("bad-limit", `No limit "${kind}". Known: ${known.join(", ")}.`);
    }
    if (typeof limit === "number" && limit >= 0) continue;
    throw new EngineError("bad-limit", `The limit of ${kind} is ${String(limit)}; it must be a number of at least 0.`);
  }
  const started = now();
  return createPurse(kinds, limits, () => (now() - started) / 1_000);
}

interface Source<Kind extends string> {
  readonly purse: PurseOf<Kind>;
  readonly spend: (kind: Kind, amount: number) => void;
  readonly closed: () => void;
}

function createPurse<Kind extends string>(
  kinds: readonly Kind[],
  limits: LimitsOf<Kind>,
  elapsed: () => number,
  parent?: Source<Kind>,
): PurseOf<Kind> {
  const spent = zero(kinds);
  /** Set aside by reservations and by purses that are out. */
  const held = zero(kinds);
  const tickets: Ticket<Kind>[] = [];
  let out = 0;
  let closed = false;
  const limited = kinds.filter((kind) => Number.isFinite(limits[kind] ?? Infinity));
  const free = (kind: Kind): number => Math.max(0, (limits[kind] ?? Infinity) - spent[kind] - held[kind]);
  const inTime = (): boolean => limits.seconds === undefined || elapsed() < limits.seconds;
  const spend = (kind: Kind, amount: number): void => {
    spent[kind] += amount;
    parent?.spend(kind, amount);
  };
  const fits = (need: LimitsOf<Kind>): boolean => limited.every((kind) => (need[kind] ?? 0) <= free(kind));

  const grant = ({ need, grant: give }: Ticket<Kind>): void => {
    const within: Record<string, number> = limits.seconds === undefined ? {} : { seconds: limits.seconds };
    const taken = zero(kinds);
    for (const kind of limited) {
      taken[kind] = Math.min(need[kind] ?? 0, free(kind));
      held[kind] += taken[kind];
      within[kind] = taken[kind];
    }
    out += 1;
    give(
      createPurse(kinds, within as LimitsOf<Kind>, elapsed, {
        purse,
        // What a purse that is out spends was held for it.
        spend: (kind, amount) => {
          if (limited.includes(kind)) held[kind] -= amount;
          taken[kind] -= amount;
          spend(kind, amount);
        },
        closed: () => {
          for (const kind of limited) held[kind] -= taken[kind];
          out -= 1;
          pump();
        },
      }),
    );
  };
  const grantable = ({ need }: Ticket<Kind>): boolean => out === 0 || fits(need);
  const pump = (): void => {
    for (let head = tickets[0]; head !== undefined && grantable(head); head = tickets[0]) {
      tickets.shift();
      grant(head);
    }
  };

  const purse: PurseOf<Kind> = {
    get spent() {
      return { ...spent, seconds: elapsed() };
    },
    left: (kind) => {
      if (closed && parent !== undefined) return parent.purse.left(kind);
      return kind === "seconds" ? Math.max(0, (limits.seconds ?? Infinity) - elapsed()) : free(kind as Kind);
    },
    reserve: (kind, amount) => {
      if (closed && parent !== undefined) return parent.purse.reserve(kind, amount);
      const granted = inTime() ? Math.min(amount, free(kind)) : 0;
      held[kind] += granted;
      return granted;
    },
    settle: (kind, reserved, used) => {
      if (closed && parent !== undefined) {
        parent.purse.settle(kind, reserved, used);
        return;
      }
      held[kind] -= reserved;
      if (used > 0) spend(kind, used);
    },
    draw: (need) => {
      if (closed && parent !== undefined) return parent.purse.draw(need);
      return new Promise((resolve) => {
        tickets.push({ need, grant: resolve });
        pump();
      });
    },
    close: () => {
      if (closed || parent === undefined) return;
      closed = true;
      parent.closed();
    },
  };
  return purse;
}

function zero<Kind extends string>(kinds: readonly Kind[]): Record<Kind, number> {
  return Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
}
