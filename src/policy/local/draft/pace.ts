/**
 * Whether to guess, which guesser to ask and how many tokens a pass should take, as measured: a pass over several tokens costs more than
 * one over a single token, guessing and making programs cost too, and how much depends on the model, the machine and the batch.
 *
 * Everything that guessing costs is paid from one purse. It holds a small share of all time that sampling took, and what guessing
 * has saved so far. A program for wider passes may be made on credit when it would have saved its price twice: one for so many rows, until
 * guesses for them have paid. So guesses that do not pay cost no more than that share and such a program, whatever the reason.
 *
 * Once guesses have paid for so many rows, they go on when the conversations have grown into a shape that has no program yet:
 * one has to be made there anyway, and it is the wide one.
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

/** A pass that drew tokens, and what came of the guesses for it. */
export interface DecodingPass extends Pass {
  /** Which guesser was asked; undefined for none. */
  readonly who: number | undefined;
  /** Milliseconds that guessing took. */
  readonly guessing: number;
  /** Passes of one token that it stood for. */
  readonly said: number;
}

/** Tokens of a pass with guesses, for each of its rows. */
const PASS_WIDTHS = [2, 4, 8, 16] as const;
/** A pass of fewer tokens, over all its rows, is hardly shorter than one of so many. */
const FEWEST = 4;
/** Longer ones need many rows that all go on as guessed, which was too seldom for their programs. */
const MOST = 64;

/** Of all time, what guesses may cost beyond what they save. */
const SHARE = 0.015;
const REMEMBERED = 9;
/** Passes that are looked at before a batch is judged, and before a guesser is believed. */
const TRIED = 3;
/** After so many passes of its batch without it, a width is looked at again. */
const STALE = 300;
/** A wider pass must be cheaper by this, so that noise alone does not choose it. */
const CLEARLY = 0.9;
/** The same for many rows: what a pass is worth to all of them is itself an estimate. */
const [MANY, CLEARLY_FOR_MANY] = [4, 0.75];
/** A program is made on credit when it would have saved so many times its price. */
const PATIENCE = 2;
/** Of what a program takes to make, the last one weighs so much. */
const NEWEST = 0.3;
/** Tries of a guesser before it rests: tokens that can be guessed come in runs. The last ones weigh as much each. */
const JUDGED = 16;
/** Passes without a guesser that did not pay: at first, and at most. */
const RESTS = [8, 256] as const;
/** Of a program's price, what may be spent beyond the purse, so that a moment's bad luck is not the end of trying. */
const SLACK = 0.03;

/** The last passes of a shape; their median counts, so that what else the machine does for a moment does not. */
interface Timing {
  readonly times: number[];
  /** Passes of this batch when it was last measured. */
  at: number;
}

interface Group {
  passes: number;
  readonly widths: Map<number, Timing>;
  /** Milliseconds that a width without a program would have saved so far. */
  readonly missed: Map<number, number>;
}

/** What passes cost, as measured, by the shape of their batch. */
class Costs {
  /** What a program takes to make. */
  making = 0;
  readonly #groups = new Map<string, Group>();
  /** What a width cost, in plain passes of the same rows, whatever their slots. */
  readonly #ratios = new Map<string, number>();
  /** What a plain pass of so many rows cost last, whatever their slots. */
  readonly #plains = new Map<number, number>();

  of({ rows, slots }: Batch): Group {
    return entry(this.#groups, `${rows} ${slots}`, () => ({ passes: 0, widths: new Map(), missed: new Map() }));
  }

  timeOf(group: Group, width: number): number | undefined {
    const known = group.widths.get(width);
    return known === undefined || group.passes - known.at > STALE ? undefined : median(known.times);
  }

  /** In plain passes. */
  ratioOf(batch: Batch, width: number, plain: number): number {
    const own = this.timeOf(this.of(batch), width);
    return own === undefined
      ? (this.#ratios.get(`${batch.rows} ${width}`) ?? supposed(batch.rows, width))
      : own / plain;
  }

  /** The median of plain passes, once there were enough of them. Where guesses pay and none was plain yet: as far as others tell. */
  plainOf(batch: Batch, pays: boolean): number | undefined {
    const group = this.of(batch);
    const own = group.widths.get(1);
    if (own !== undefined) return own.times.length < TRIED ? undefined : this.timeOf(group, 1);
    if (!pays) return undefined;
    for (const width of group.widths.keys()) {
      const [time, ratio] = [this.timeOf(group, width), this.#ratios.get(`${batch.rows} ${width}`)];
      if (time !== undefined && ratio !== undefined) return time / ratio;
    }
    return this.#plains.get(batch.rows);
  }

  remember({ rows, slots, width, milliseconds, making }: Pass): void {
    const group = this.of({ rows, slots });
    group.passes += 1;
    const known = group.widths.get(width);
    // The first pass of a shape is slower than those that follow.
    if (known === undefined) {
      this.making += (making - this.making) * (this.making === 0 ? 1 : NEWEST);
      group.widths.set(width, { times: [], at: group.passes });
      return;
    }
    if (group.passes - known.at > STALE) known.times.length = 0;
    keep(known.times, milliseconds);
    known.at = group.passes;
    const plain = this.timeOf(group, 1);
    if (plain === undefined) return;
    this.#plains.set(rows, plain);
    if (width > 1) this.#ratios.set(`${rows} ${width}`, (median(known.times) as number) / plain);
  }
}

/** What guesses may cost: a share of all time, and what they have saved. */
class Purse {
  time = 0;
  saved = 0;
  /** What programs were made for on credit, and for how many rows, until all is paid back. */
  lent = 0;
  readonly unpaid = new Set<number>();

  get balance(): number {
    return SHARE * this.time + this.saved;
  }

  book(saved: number, extra: number, rows: number): void {
    if (extra > 0 && this.balance < extra) {
      this.lent += extra;
      this.unpaid.add(rows);
    }
    this.saved += saved - extra;
    if (this.balance <= 0) return;
    this.lent = 0;
    this.unpaid.clear();
  }
}

/** A guesser, for so many rows. */
interface GuesserRecord {
  tries: number;
  /** What a try saved, in plain passes. */
  worth: number;
  rest: number;
  /** Passes until it is tried again. */
  left: number;
  /** The first guess makes programs. */
  begun: boolean;
  /** Milliseconds of its last guesses. */
  readonly times: number[];
}

function judge(record: GuesserRecord, worth: number): void {
  record.tries += 1;
  record.worth += (worth - record.worth) / Math.min(JUDGED, record.tries);
  if (record.tries < JUDGED) return;
  if (record.worth > 0) record.rest = RESTS[0];
  else Object.assign(record, { tries: 0, worth: 0, left: record.rest, rest: Math.min(RESTS[1], 2 * record.rest) });
}

/** `guessers`: how many there are to choose from. */
export function createPace(guessers = 1): Pace {
  return new Pace(guessers);
}

export class Pace {
  readonly #guessers: number;
  readonly #costs = new Costs();
  readonly #purse = new Purse();
  readonly #toll = createToll();
  readonly #records = new Map<number, readonly GuesserRecord[]>();
  /** Whether the last width would have been larger, had there been a program. */
  #wanted = false;

  constructor(guessers: number) {
    this.#guessers = guessers;
  }

  #recordsOf({ rows }: Batch): readonly GuesserRecord[] {
    const fresh = (): GuesserRecord => ({ tries: 0, worth: 0, rest: RESTS[0], left: 0, begun: false, times: [] });
    return entry(this.#records, rows, () => Array.from({ length: this.#guessers }, fresh));
  }

  #pays(batch: Batch): boolean {
    return this.#recordsOf(batch).some(({ tries, worth }) => tries >= TRIED && worth > 0);
  }

  #plainOf(batch: Batch): number | undefined {
    return this.#costs.plainOf(batch, this.#pays(batch));
  }

  /** Which guesser is asked for the next pass; undefined for none. */
  who(batch: Batch): number | undefined {
    const all = this.#recordsOf(batch);
    for (const one of all) one.left = Math.max(0, one.left - 1);
    if (batch.rows > 1 && !this.#toll.isOpen) return undefined;
    if (this.#plainOf(batch) === undefined) return undefined;
    if (this.#purse.balance <= -this.#purse.lent - SLACK * this.#costs.making) return undefined;
    let best: number | undefined;
    for (const [at, { left, tries, worth }] of all.entries()) {
      if (left > 0) continue;
      // One that has hardly been tried goes first.
      if (tries < TRIED) return at;
      if (best === undefined || worth > (all[best]?.worth as number)) best = at;
    }
    return best;
  }

  /** The width of the next pass; `hoped` says how many passes of one token it would be worth. */
  width(batch: Batch, hoped: (width: number) => number): number {
    this.#wanted = false;
    const { widths, missed } = this.#costs.of(batch);
    const plain = this.#plainOf(batch);
    if (plain === undefined) return 1;
    const clearly = batch.rows >= MANY ? CLEARLY_FOR_MANY : CLEARLY;
    const options = PASS_WIDTHS.filter((width) => batch.rows * width >= FEWEST && batch.rows * width <= MOST).map(
      (width) => ({ width, cost: this.#costs.ratioOf(batch, width, plain) }),
    );
    const isMissing = ({ width }: { readonly width: number }): boolean => widths.size > 0 && !widths.has(width);
    // Tokens in the time of a plain pass.
    let best = { width: 1, rate: hoped(1) };
    for (const { width, cost } of options.filter((one) => !isMissing(one))) {
      if (hoped(width) / cost > best.rate / clearly) best = { width, rate: hoped(width) / cost };
    }
    for (const { width, cost } of options.filter(isMissing)) {
      // Its program has to be made first: as with skis, it is bought when hiring has cost as much.
      if (hoped(width) / cost <= best.rate / clearly) continue;
      const hired = (missed.get(width) ?? 0) + plain * (hoped(width) / best.rate - cost);
      missed.set(width, hired);
      this.#wanted ||= best.width === 1;
      if (this.#mayMake(batch, hired)) best = { width, rate: hoped(width) / cost };
    }
    // What the other widths would have saved was saved over plain passes; over this one it is less.
    if (best.width > 1 && isMissing(best)) missed.clear();
    return best.width;
  }

  /** Whether a program is worth making that would have saved so much by now. */
  #mayMake(batch: Batch, missed: number): boolean {
    const { making } = this.#costs;
    if (this.#purse.balance >= making || this.#pays(batch)) return missed >= making;
    return missed >= PATIENCE * making && !this.#purse.unpaid.has(batch.rows);
  }

  /** A pass that only read. */
  read({ milliseconds, making }: Pass): void {
    this.#purse.time += milliseconds + making;
    this.#toll.passed(milliseconds, 0);
  }

  /** A pass that drew tokens. */
  spoke(pass: DecodingPass): void {
    const { rows, who, width, milliseconds, making, guessing, said } = pass;
    this.#purse.time += milliseconds + making + guessing;
    const group = this.#costs.of(pass);
    const [plain, isFirst] = [this.#plainOf(pass), !group.widths.has(width)];
    const supposedly = plain === undefined ? milliseconds : plain * this.#costs.ratioOf(pass, width, plain);
    // The first program of a shape would have been made anyway. A first pass takes longer than others do: that is part of the making.
    const extra = group.widths.size === 0 || !isFirst ? 0 : making + Math.max(0, milliseconds - supposedly);
    this.#costs.remember(pass);
    if (who === undefined || plain === undefined) {
      this.#toll.passed(milliseconds, 0);
      return;
    }
    // A pass of one token is what there would have been anyway, whatever it took.
    const cost = width === 1 ? plain : isFirst ? supposedly : (this.#costs.timeOf(group, width) ?? milliseconds);
    const record = this.#recordsOf(pass)[who] as GuesserRecord;
    keep(record.times, guessing);
    const saved = plain * (width === 1 ? 1 : said) - cost - (median(record.times) as number);
    this.#toll.passed(milliseconds, rows > 1 ? saved : 0);
    this.#purse.book(saved, extra, rows);
    if (record.begun && !isFirst && !(width === 1 && this.#wanted)) judge(record, saved / plain);
    record.begun = true;
  }
}

/** Before anything is known: about as much work as 16 tokens is there for any pass. */
function supposed(rows: number, width: number): number {
  return (16 + rows * width) / (16 + rows);
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

/** Of all time, what guesses for several rows have to save. */
const LEAST = 0.04;
/** Passes that are looked at, reading included. */
const LOOKED = 512;
/** Passes without guesses: at first, and at most. */
const TOLL_RESTS = [1_024, 16_384] as const;

/**
 * Whether to use speculative decoding when several sequences are decoded in one batch. Guesses bring rows out of step: they end at different
 * times, read apart, and passes of fewer rows are hardly shorter. No single pass shows that; over whole rollouts it was two to four of a hundred
 * of all time. So guesses for several rows go on where they save more than that, and rest longer and longer where they do not.
 */
export type Toll = ReturnType<typeof createToll>;

export function createToll() {
  let [passes, time, saved, left, rest]: [number, number, number, number, number] = [0, 0, 0, 0, TOLL_RESTS[0]];
  return {
    /** Whether several rows may guess. */
    get isOpen(): boolean {
      return left === 0;
    },
    /** A pass of any kind, with what its guesses saved, the making of programs left out. */
    passed: (milliseconds: number, won: number): void => {
      if (left > 0) {
        left -= 1;
        return;
      }
      passes += 1;
      time += milliseconds;
      saved += won;
      if (passes < LOOKED) return;
      const pays = saved >= LEAST * time;
      if (!pays) left = rest;
      rest = pays ? TOLL_RESTS[0] : Math.min(TOLL_RESTS[1], 2 * rest);
      [passes, time, saved] = [0, 0, 0];
    },
  };
}
