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
  const hours = { elapsed: () => (now() - started) / 1_000, seconds: limits.seconds ?? Infinity };
  const none = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Counts<Kind>;
  return new PurseAtWork(hours, limits, none);
}

/** Whether a purse has no limits but time: what is paid from it need not be set aside before. */
export function isUnlimited<Kind extends string>(purse: PurseOf<Kind>): boolean {
  return purse instanceof PurseAtWork && purse.isUnlimited;
}

/** The clock of an account, and when its time is up. */
interface Hours {
  readonly elapsed: () => number;
  readonly seconds: number;
}

type Counts<Kind extends string> = Record<Kind, number>;

/** Every episode has two or three, and each step asks them all: a class, so that a purse is its numbers and no functions. */
class PurseAtWork<Kind extends string> implements PurseOf<Kind> {
  readonly #hours: Hours;
  readonly #limits: LimitsOf<Kind>;
  /** The kinds that have a limit. */
  readonly #limited: readonly Kind[];
  readonly #parent: PurseAtWork<Kind> | undefined;
  readonly #none: Counts<Kind>;
  readonly #spent: Counts<Kind>;
  /** Set aside by reservations and by purses that are out. */
  readonly #held: Counts<Kind>;
  /** What the parent still holds for this purse. */
  readonly #given: Counts<Kind>;
  #tickets: Ticket<Kind>[] | undefined;
  #out = 0;
  #closed = false;

  constructor(hours: Hours, limits: LimitsOf<Kind>, none: Counts<Kind>, parent?: PurseAtWork<Kind>) {
    this.#hours = hours;
    this.#limits = limits;
    this.#none = none;
    this.#spent = { ...none };
    this.#held = { ...none };
    this.#given = { ...none };
    this.#parent = parent;
    const limited = (): Kind[] => (Object.keys(none) as Kind[]).filter((kind) => isLimit(limits[kind]));
    this.#limited = parent === undefined ? limited() : parent.#limited;
  }

  get isUnlimited(): boolean {
    return this.#limited.length === 0;
  }

  get spent(): Readonly<Record<Kind | "seconds", number>> {
    return { ...this.#spent, seconds: this.#hours.elapsed() };
  }

  left(kind: Kind | "seconds"): number {
    if (this.#closed && this.#parent !== undefined) return this.#parent.left(kind);
    if (kind !== "seconds") return this.#free(kind);
    const { seconds, elapsed } = this.#hours;
    return seconds === Infinity ? Infinity : Math.max(0, seconds - elapsed());
  }

  reserve(kind: Kind, amount: number): number {
    if (this.#closed && this.#parent !== undefined) return this.#parent.reserve(kind, amount);
    const { seconds, elapsed } = this.#hours;
    const inTime = seconds === Infinity || elapsed() < seconds;
    const granted = inTime ? Math.min(amount, this.#free(kind)) : 0;
    this.#held[kind] += granted;
    return granted;
  }

  settle(kind: Kind, reserved: number, used: number): void {
    if (this.#closed && this.#parent !== undefined) {
      this.#parent.settle(kind, reserved, used);
      return;
    }
    this.#held[kind] -= reserved;
    if (used > 0) this.#spend(kind, used);
  }

  draw(need: LimitsOf<Kind>): Promise<PurseOf<Kind>> {
    if (this.#closed && this.#parent !== undefined) return this.#parent.draw(need);
    const isFirst = this.#tickets === undefined || this.#tickets.length === 0;
    if (isFirst && this.#canGrant(need)) return Promise.resolve(this.#grant(need));
    return new Promise((resolve) => {
      (this.#tickets ??= []).push({ need, grant: resolve });
    });
  }

  close(): void {
    if (this.#closed || this.#parent === undefined) return;
    this.#closed = true;
    this.#parent.#takeBack(this.#given);
  }

  #free(kind: Kind): number {
    return Math.max(0, (this.#limits[kind] ?? Infinity) - this.#spent[kind] - this.#held[kind]);
  }

  #spend(kind: Kind, amount: number): void {
    this.#spent[kind] += amount;
    const parent = this.#parent;
    if (parent === undefined) return;
    // What a purse that is out spends was held for it.
    if (this.#limited.includes(kind)) parent.#held[kind] -= amount;
    this.#given[kind] -= amount;
    parent.#spend(kind, amount);
  }

  #canGrant(need: LimitsOf<Kind>): boolean {
    return this.#out === 0 || this.#limited.every((kind) => (need[kind] ?? 0) <= this.#free(kind));
  }

  #grant(need: LimitsOf<Kind>): PurseOf<Kind> {
    const within: Partial<Record<string, number>> = {};
    for (const kind of this.#limited) within[kind] = Math.min(need[kind] ?? 0, this.#free(kind));
    const purse = new PurseAtWork<Kind>(this.#hours, within as LimitsOf<Kind>, this.#none, this);
    for (const kind of this.#limited) {
      purse.#given[kind] = within[kind] ?? 0;
      this.#held[kind] += within[kind] ?? 0;
    }
    this.#out += 1;
    return purse;
  }

  #takeBack(rest: Counts<Kind>): void {
    for (const kind of this.#limited) this.#held[kind] -= rest[kind];
    this.#out -= 1;
    const tickets = this.#tickets ?? [];
    for (let head = tickets[0]; head !== undefined && this.#canGrant(head.need); head = tickets[0]) {
      tickets.shift();
      head.grant(this.#grant(head.need));
    }
  }
}

function isLimit(limit: number | undefined): boolean {
  return limit !== undefined && limit !== Infinity;
}
