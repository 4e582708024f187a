/**
 * One account for everything a rollout or a search spends. Purses form a tree: what a purse spends, its parents have spent.
 *
 * Nothing is spent that was not set aside before. Purses are handed out in the order of asking: one is granted when its
 * whole need fits beside the needs of those still out, and waits otherwise; when no other is out it gets what is left.
 * So which walk gets the last token depends on the order of asking and on what was spent, never on speed.
 */
import { EngineError } from "limbeck-base/base/errors";

export const spendingKinds = [
  "envSteps",
  "sampledTokens",
  "tokens",
  "reusedTokens",
  "modelCalls",
  "usd",
  "seconds",
] as const;
export type SpendingKind = (typeof spendingKinds)[number];

/**
 * `tokens`: prompt and sampled; a call reads its whole prompt, as servers bill it. `reusedTokens`: context that branches
 * shared instead of reading and sampling it. `usd` needs prices.
 */
export type Spending = Readonly<Record<SpendingKind, number>>;

/** What may be spent; what is not given is not limited. */
export type Budget = Partial<Spending>;

/** Kinds that are set aside before work; seconds pass by themselves. Money is counted in whole picodollars: sums are exact. */
export const drawnKinds = ["envSteps", "sampledTokens", "tokens", "reusedTokens", "modelCalls", "picodollars"] as const;
export type DrawnKind = (typeof drawnKinds)[number];

/** The most that something may take. */
export type Need = { readonly [Kind in DrawnKind]?: number };

const PICO = 1e12;

export interface Purse {
  readonly spent: Spending;
  /** It has no limits but time: what is paid from it need not be set aside before. */
  readonly isUnlimited: boolean;
  /** What may still be set aside. */
  left(kind: DrawnKind | "seconds"): number;
  /** Share of its limits that is left, from 1 to 0: the smallest over everything that is limited. 1 without limits. */
  share(): number;
  /** Sets aside up to `amount`; the answer is how much was there. */
  reserve(kind: DrawnKind, amount: number): number;
  /** Books what was used of a reservation; the rest is free again. */
  settle(kind: DrawnKind, reserved: number, used: number): void;
  /** A purse within this one. Granted in the order of asking. */
  draw(need: Need): Promise<Purse>;
  /** Gives back what was not spent. From then on it spends from its parent's. */
  close(): void;
}

interface Ticket {
  readonly need: Need;
  readonly grant: (purse: Purse) => void;
}

export interface TokenPrices {
  /** US dollars for a million tokens. */
  readonly usdPerMillionRead: number;
  readonly usdPerMillionSaid: number;
}

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

/** `now` gives milliseconds that only grow. */
export function createPurse(budget: Budget, now: () => number, prices: Prices = FREE): Purse {
  for (const [kind, limit] of Object.entries(budget)) {
    if (!(spendingKinds as readonly string[]).includes(kind)) {
      throw new EngineError("bad-limit", `No limit "${kind}". Known: ${spendingKinds.join(", ")}.`);
    }
    if (typeof limit === "number" && limit >= 0) continue;
    throw new EngineError("bad-limit", `The limit of ${kind} is ${String(limit)}; it must be a number of at least 0.`);
  }
  const { usd, seconds = Infinity, ...limits } = budget;
  if (usd !== undefined && prices.read === 0 && prices.said === 0) {
    throw new EngineError("bad-limit", `A limit of ${usd} US dollars needs prices; give them, or limit the tokens.`);
  }
  const started = now();
  const hours = { elapsed: () => (now() - started) / 1_000, seconds };
  return new PurseAtWork(hours, usd === undefined ? limits : { ...limits, picodollars: Math.floor(usd * PICO) });
}

/** The clock of an account, and when its time is up. */
interface Hours {
  readonly elapsed: () => number;
  readonly seconds: number;
}

type Counts = Record<DrawnKind, number>;

const nothing = (): Counts => ({
  envSteps: 0,
  sampledTokens: 0,
  tokens: 0,
  reusedTokens: 0,
  modelCalls: 0,
  picodollars: 0,
});

/** Every episode has two or three, and each step asks them all: a class, so that a purse is its numbers and no functions. */
class PurseAtWork implements Purse {
  readonly #hours: Hours;
  readonly #limits: Need;
  /** The kinds that have a limit. */
  readonly #limited: readonly DrawnKind[];
  readonly #parent: PurseAtWork | undefined;
  readonly #spent = nothing();
  /** Set aside by reservations and by purses that are out. */
  readonly #held = nothing();
  /** What the parent still holds for this purse. */
  readonly #given = nothing();
  #tickets: Ticket[] | undefined;
  #out = 0;
  #closed = false;

  constructor(hours: Hours, limits: Need, parent?: PurseAtWork) {
    this.#hours = hours;
    this.#limits = limits;
    this.#parent = parent;
    this.#limited = parent === undefined ? drawnKinds.filter((kind) => isLimit(limits[kind])) : parent.#limited;
  }

  get isUnlimited(): boolean {
    return this.#limited.length === 0;
  }

  get spent(): Spending {
    const { picodollars, ...spent } = this.#spent;
    return { ...spent, usd: picodollars / PICO, seconds: this.#hours.elapsed() };
  }

  share(): number {
    const { seconds } = this.#hours;
    const shares = this.#limited.map((kind) => shareOf(this.left(kind), this.#limits[kind] ?? 0));
    return Math.max(0, Math.min(1, ...shares, seconds === Infinity ? 1 : shareOf(this.left("seconds"), seconds)));
  }

  left(kind: DrawnKind | "seconds"): number {
    if (this.#closed && this.#parent !== undefined) return this.#parent.left(kind);
    if (kind !== "seconds") return this.#free(kind);
    const { seconds, elapsed } = this.#hours;
    return seconds === Infinity ? Infinity : Math.max(0, seconds - elapsed());
  }

  reserve(kind: DrawnKind, amount: number): number {
    if (this.#closed && this.#parent !== undefined) return this.#parent.reserve(kind, amount);
    const { seconds, elapsed } = this.#hours;
    const inTime = seconds === Infinity || elapsed() < seconds;
    const granted = inTime ? Math.min(amount, this.#free(kind)) : 0;
    this.#held[kind] += granted;
    return granted;
  }

  settle(kind: DrawnKind, reserved: number, used: number): void {
    if (this.#closed && this.#parent !== undefined) {
      this.#parent.settle(kind, reserved, used);
      return;
    }
    this.#held[kind] -= reserved;
    if (used > 0) this.#spend(kind, used);
  }

  draw(need: Need): Promise<Purse> {
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

  #free(kind: DrawnKind): number {
    return Math.max(0, (this.#limits[kind] ?? Infinity) - this.#spent[kind] - this.#held[kind]);
  }

  #spend(kind: DrawnKind, amount: number): void {
    this.#spent[kind] += amount;
    const parent = this.#parent;
    if (parent === undefined) return;
    // What a purse that is out spends was held for it.
    if (this.#limited.includes(kind)) parent.#held[kind] -= amount;
    this.#given[kind] -= amount;
    parent.#spend(kind, amount);
  }

  #canGrant(need: Need): boolean {
    return this.#out === 0 || this.#limited.every((kind) => (need[kind] ?? 0) <= this.#free(kind));
  }

  #grant(need: Need): Purse {
    const within: Partial<Counts> = {};
    for (const kind of this.#limited) within[kind] = Math.min(need[kind] ?? 0, this.#free(kind));
    const purse = new PurseAtWork(this.#hours, within, this);
    for (const kind of this.#limited) {
      purse.#given[kind] = within[kind] ?? 0;
      this.#held[kind] += within[kind] ?? 0;
    }
    this.#out += 1;
    return purse;
  }

  #takeBack(rest: Counts): void {
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

function shareOf(left: number, limit: number): number {
  return limit === 0 ? 0 : left / limit;
}
