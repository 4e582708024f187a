/**
 * Whether to draft for the next pass, by which drafter, and how many tokens of a row the pass should check. All of it is measured: a wider
 * pass, a draft and a compiled program cost more or less with the model, the machine and the batch.
 *
 * The account of each batch size holds what drafts have saved and a small share of the time of its passes. Drafting is off where the account
 * is overdrawn, until the share has filled it again. So drafts that do not pay cost no more than that share, and one program.
 */

/** The shape of a batch, as the graph is made for it. */
export interface Batch {
  readonly rows: number;
  readonly slots: number;
}

export interface Pass extends Batch {
  readonly width: number;
  /** The graph's run, and the writing of what is new: wider passes write more. */
  readonly milliseconds: number;
  /** What it took to make its program, if it had to be made. */
  readonly making: number;
}

/** A pass that drew tokens, and what came of the draft for it. */
export interface DecodingPass extends Pass {
  /** Undefined for none. */
  readonly drafter: number | undefined;
  /** Milliseconds that drafting took. */
  readonly drafting: number;
  /** Passes of one token that it stood for. */
  readonly worth: number;
}

/** Tokens of a pass with a draft, for each of its rows. */
const PASS_WIDTHS = [2, 4, 8, 16] as const;
/** Tokens of a pass over all its rows: fewer are hardly faster, and more seldom all come true. */
const [FEWEST, MOST] = [4, 64];
/** Of the time of passes, what drafts may cost beyond what they save: for one row, and for several. */
const [SHARE, SHARE_OF_MANY] = [0.015, 0.005];
/** Of all time, what drafts for several rows have to save: rows that come out of step read apart, which no single pass shows. */
const OUT_OF_STEP = 0.04;
/** An account holds at most so many plain passes, and drafting goes on again once it holds so many. */
const [FULL, AGAIN] = [8, 0.5];
const REMEMBERED = 9;
/** Warm-up passes before a batch or a drafter is judged. */
const TRIED = 3;
/** Passes of a batch after which its plain pass is measured again. */
const STALE = 300;
/** A wider pass must be cheaper by this; for many rows its worth is itself an estimate. */
const [CLEARLY, MANY, CLEARLY_FOR_MANY] = [0.9, 4, 0.75];
/** A program is made before drafts have paid when it would have saved so many times its price. */
const PATIENCE = 2;

/** What passes of a shape cost: the last times of each width, in which the first one is left out. */
interface Shape {
  passes: number;
  readonly times: Map<number, number[]>;
  /** Milliseconds that a width without a program would have saved so far. */
  readonly missed: Map<number, number>;
}

/** All shapes of so many rows. */
interface Size {
  account: number;
  on: boolean;
  /** What programs for drafts have cost and drafts have not yet saved. */
  owed: number;
  /** The last plain pass in milliseconds, and wider ones in plain passes. */
  plain: number | undefined;
  readonly ratios: Map<number, number>;
  readonly drafters: readonly { tries: number; worth: number; readonly times: number[] }[];
}

/** `drafters`: how many there are to choose from. */
export class DraftPolicy {
  readonly #drafters: number;
  readonly #shapes = new Map<string, Shape>();
  readonly #sizes = new Map<number, Size>();
  /** Milliseconds of all passes, of those that drew tokens, and of the last programs. */
  #time = 0;
  #decoding = 0;
  #making = 0;
  /** Whether the pass would have been wider, had there been a program. */
  #wanted = false;

  constructor(drafters = 1) {
    this.#drafters = drafters;
  }

  #shapeOf({ rows, slots }: Batch): Shape {
    return entry(this.#shapes, `${rows} ${slots}`, () => ({ passes: 0, times: new Map(), missed: new Map() }));
  }

  #sizeOf({ rows }: Batch): Size {
    const drafters = Array.from({ length: this.#drafters }, () => ({ tries: 0, worth: 0, times: [] }));
    const fresh: Size = { account: 0, on: true, owed: 0, plain: undefined, ratios: new Map(), drafters };
    return entry(this.#sizes, rows, () => fresh);
  }

  /** A plain pass of this shape. Where drafts pay, one that was not measured is estimated from others. */
  #plainOf(batch: Batch): number | undefined {
    const { times } = this.#shapeOf(batch);
    const { plain, ratios, drafters } = this.#sizeOf(batch);
    const own = times.get(1);
    if (own !== undefined) return own.length < TRIED ? undefined : median(own);
    if (!drafters.some(pays)) return undefined;
    for (const [width, wide] of times) if (wide.length > 0) return (median(wide) as number) / (ratios.get(width) ?? 1);
    return plain;
  }

  /** In plain passes. Before anything is known: about as much work as 16 tokens is there for any pass. */
  #ratioOf(batch: Batch, width: number, plain: number): number {
    const own = median(this.#shapeOf(batch).times.get(width) ?? []);
    if (own !== undefined) return own / plain;
    return this.#sizeOf(batch).ratios.get(width) ?? (16 + batch.rows * width) / (16 + batch.rows);
  }

  /** Which drafter is asked for the next pass; undefined for none. One that has hardly been tried goes first. */
  choose(batch: Batch): number | undefined {
    const { on, drafters } = this.#sizeOf(batch);
    if (!on || this.#plainOf(batch) === undefined) return undefined;
    const fresh = drafters.findIndex(({ tries }) => tries < TRIED);
    const best = Math.max(...drafters.map(({ worth }) => worth));
    return fresh >= 0 ? fresh : drafters.findIndex(({ worth }) => worth === best);
  }

  /** The width of the next pass; `hoped` says how many passes of one token it would be worth. */
  width(batch: Batch, hoped: (width: number) => number): number {
    this.#wanted = false;
    const { times, missed } = this.#shapeOf(batch);
    const plain = this.#plainOf(batch);
    if (plain === undefined) return 1;
    const clearly = batch.rows >= MANY ? CLEARLY_FOR_MANY : CLEARLY;
    const fitting = PASS_WIDTHS.filter((width) => batch.rows * width >= FEWEST && batch.rows * width <= MOST);
    const isMissing = (width: number): boolean => times.size > 0 && !times.has(width);
    // Tokens in the time of a plain pass; those that have a program are looked at first.
    let best = { width: 1, rate: hoped(1) };
    for (const width of fitting.toSorted((left, right) => Number(isMissing(left)) - Number(isMissing(right)))) {
      const cost = this.#ratioOf(batch, width, plain);
      const rate = hoped(width) / cost;
      if (rate <= best.rate / clearly) continue;
      if (isMissing(width)) {
        missed.set(width, (missed.get(width) ?? 0) + plain * (hoped(width) / best.rate - cost));
        this.#wanted ||= best.width === 1;
        if (!this.#mayMake(batch, missed.get(width) as number)) continue;
      }
      best = { width, rate };
    }
    if (isMissing(best.width)) missed.clear();
    return best.width;
  }

  /** Whether a program is worth making that would have saved so much by now. */
  #mayMake(batch: Batch, missed: number): boolean {
    const { owed, drafters } = this.#sizeOf(batch);
    if (drafters.some(pays)) return missed >= this.#making;
    return owed <= 0 && missed >= PATIENCE * this.#making;
  }

  /** A pass that only read. */
  read({ milliseconds }: Pass): void {
    this.#time += milliseconds;
  }

  /** A pass that drew tokens. */
  decoded(pass: DecodingPass): void {
    const { rows, drafter, width, milliseconds, making, drafting, worth } = pass;
    const [shape, size, plain] = [this.#shapeOf(pass), this.#sizeOf(pass), this.#plainOf(pass)];
    const ratio = plain === undefined ? 1 : this.#ratioOf(pass, width, plain);
    const isFirst = !shape.times.has(width);
    const isMade = isFirst && shape.times.size > 0;
    this.#time += milliseconds;
    this.#decoding += milliseconds;
    this.#remember(pass, shape, size);
    size.account += (rows > 1 ? SHARE_OF_MANY : SHARE) * (milliseconds + making);
    if (drafter !== undefined && plain !== undefined) {
      const known = size.drafters[drafter] as Size["drafters"][number];
      keep(known.times, drafting);
      // A pass of one token is what there would have been anyway, whatever it took.
      const gain = width === 1 ? 0 : plain * (worth - (isFirst ? ratio : this.#ratioOf(pass, width, plain)));
      const saved = gain - (median(known.times) as number);
      // The first program of a shape would have been made anyway. A first pass takes longer than others do.
      if (isMade) size.owed += making + Math.max(0, milliseconds - plain * ratio);
      size.owed = Math.max(0, size.owed - Math.max(0, saved));
      size.account += saved - (rows > 1 && width > 1 ? (OUT_OF_STEP * milliseconds * this.#time) / this.#decoding : 0);
      const counts = known.times.length > 1 && !isFirst && !(width === 1 && this.#wanted);
      if (counts) known.worth += (saved / plain - known.worth) / Math.min(16, (known.tries += 1));
    }
    const usual = plain ?? milliseconds;
    size.account = Math.min(FULL * usual, size.account);
    size.on = size.account >= (size.on ? 0 : AGAIN * usual);
  }

  #remember({ rows, slots, width, milliseconds, making }: Pass, shape: Shape, size: Size): void {
    shape.passes += 1;
    const times = shape.times.get(width);
    if (times === undefined) {
      shape.times.set(width, []);
      this.#making += (making - this.#making) * (this.#making === 0 ? 1 : 0.3);
    } else keep(times, milliseconds);
    if (shape.passes % STALE === 0) shape.times.get(1)?.splice(0);
    const plain = this.#plainOf({ rows, slots });
    if (plain === undefined || !shape.times.get(1)?.length) return;
    size.plain = plain;
    const wide = median(shape.times.get(width) ?? []);
    if (width > 1 && wide !== undefined) size.ratios.set(width, wide / plain);
  }
}

function pays({ tries, worth }: Size["drafters"][number]): boolean {
  return tries >= TRIED && worth > 0;
}

function keep(times: number[], newest: number): void {
  times.push(newest);
  if (times.length > REMEMBERED) times.shift();
}

function median(times: readonly number[]): number | undefined {
  return times.toSorted((left, right) => left - right)[times.length >> 1];
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
