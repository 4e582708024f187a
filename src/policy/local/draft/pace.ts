/**
 * Whether to guess, who guesses and how many tokens a pass should take, as measured: a pass over several tokens costs more than
 * one over a single token, guessing and making programs cost too, and how much depends on the model, the machine and the company.
 *
 * Everything that guessing costs is paid from one purse. It holds a small share of all time that sampling took, and what guessing
 * has saved so far. A program for wider passes may be made on credit when it would have saved its price twice: one for so many rows, until
 * guesses for them have paid. So guesses that do not pay cost no more than that share and such a program, whatever the reason.
 *
 * Once guesses have paid for so many rows, they go on when the conversations have grown into a shape that has no program yet:
 * one has to be made there anyway, and it is the wide one.
 */

import { createToll } from "./toll.ts";

/** Rows that speak together, as the graph is made for them. */
export interface Company {
  readonly rows: number;
  readonly slots: number;
}

export interface Pass extends Company {
  readonly width: number;
  /** The graph's run, and the writing of what is new: wider passes write more. */
  readonly milliseconds: number;
  /** What it took to make its program, if it had to be made. */
  readonly making: number;
}

/** A pass of those who speak, and what came of the guesses for it. */
export interface Spoken extends Pass {
  /** Who had guessed; undefined for nobody. */
  readonly who: number | undefined;
  /** Milliseconds that guessing took. */
  readonly guessing: number;
  /** Passes of one token that it stood for. */
  readonly said: number;
}

export interface Pace {
  /** Who is to guess for the next pass, of those there are; undefined for nobody. */
  who(company: Company): number | undefined;
  /** The width of the next pass; `hoped` says how many passes of one token it would be worth. */
  width(company: Company, hoped: (width: number) => number): number;
  /** A pass that only read. */
  read(pass: Pass): void;
  spoke(pass: Spoken): void;
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
/** Passes that are looked at before a company is judged, and before one who guesses is believed. */
const TRIED = 3;
/** After so many passes of its company without it, a width is looked at again. */
const STALE = 300;
/** A wider pass must be cheaper by this, so that noise alone does not choose it. */
const CLEARLY = 0.9;
/** The same for many rows: what a pass is worth to all of them is itself an estimate. */
const [MANY, CLEARLY_FOR_MANY] = [4, 0.75];
/** A program is made on credit when it would have saved so many times its price. */
const PATIENCE = 2;
/** Of what a program takes to make, the last one weighs so much. */
const NEWEST = 0.3;
/** Tries of one who guesses before it rests: words that can be guessed come in runs. The last ones weigh as much each. */
const JUDGED = 16;
/** Passes without one who did not pay: at first, and at most. */
const RESTS = [8, 256] as const;

/** Of a program's price, what may be spent beyond the purse, so that a moment's bad luck is not the end of trying. */
const SLACK = 0.03;

/** The last passes of a shape; their median counts, so that what else the machine does for a moment does not. */
interface Known {
  readonly times: number[];
  /** Passes of this company when it was last measured. */
  at: number;
}

interface Group {
  passes: number;
  readonly widths: Map<number, Known>;
  /** Milliseconds that a width without a program would have saved so far. */
  readonly missed: Map<number, number>;
}

/** One who guesses, for so many rows. */
interface Tried {
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

/** `guessers`: how many there are to choose from. */
export function createPace(guessers = 1): Pace {
  const groups = new Map<string, Group>();
  /** What a width cost, in plain passes of the same rows, whatever their slots. */
  const ratios = new Map<string, number>();
  /** What a plain pass of so many rows cost last, whatever their slots. */
  const plains = new Map<number, number>();
  const tried = new Map<number, readonly Tried[]>();
  const purse = { time: 0, saved: 0 };
  const toll = createToll();
  /** What programs were made for on credit, and for how many rows, until all is paid back. */
  let lent = 0;
  const unpaid = new Set<number>();
  let making = 0;
  /** Whether the last width would have been larger, had there been a program. */
  let wanted = false;

  const balance = (): number => SHARE * purse.time + purse.saved;
  const groupOf = ({ rows, slots }: Company): Group => {
    const key = `${rows} ${slots}`;
    const group = groups.get(key) ?? { passes: 0, widths: new Map(), missed: new Map() };
    groups.set(key, group);
    return group;
  };
  const timeOf = (group: Group, width: number): number | undefined => {
    const known = group.widths.get(width);
    return known === undefined || group.passes - known.at > STALE ? undefined : median(known.times);
  };
  /** In plain passes. */
  const costOf = (group: Group, rows: number, width: number, plain: number): number => {
    const own = timeOf(group, width);
    return own === undefined ? (ratios.get(`${rows} ${width}`) ?? supposed(rows, width)) : own / plain;
  };
  const triedBy = ({ rows }: Company): readonly Tried[] => {
    const fresh = (): Tried => ({ tries: 0, worth: 0, rest: RESTS[0], left: 0, begun: false, times: [] });
    const all = tried.get(rows) ?? Array.from({ length: guessers }, fresh);
    tried.set(rows, all);
    return all;
  };
  const pays = (company: Company): boolean => triedBy(company).some(({ tries, worth }) => tries >= TRIED && worth > 0);
  /** The median of plain passes, once there were enough of them. Where guesses pay and none was plain yet: as far as others tell. */
  const plainOf = (company: Company): number | undefined => {
    const group = groupOf(company);
    const own = group.widths.get(1);
    if (own !== undefined) return own.times.length < TRIED ? undefined : timeOf(group, 1);
    if (!pays(company)) return undefined;
    for (const width of group.widths.keys()) {
      const [time, ratio] = [timeOf(group, width), ratios.get(`${company.rows} ${width}`)];
      if (time !== undefined && ratio !== undefined) return time / ratio;
    }
    return plains.get(company.rows);
  };

  const remember = (group: Group, { rows, width, milliseconds, making: made }: Pass): void => {
    group.passes += 1;
    const known = group.widths.get(width);
    // The first pass of a shape is slower than those that follow.
    if (known === undefined) {
      making += (made - making) * (making === 0 ? 1 : NEWEST);
      group.widths.set(width, { times: [], at: group.passes });
      return;
    }
    if (group.passes - known.at > STALE) known.times.length = 0;
    keep(known.times, milliseconds);
    known.at = group.passes;
    const plain = timeOf(group, 1);
    if (plain !== undefined) plains.set(rows, plain);
    if (width > 1 && plain !== undefined) ratios.set(`${rows} ${width}`, (median(known.times) as number) / plain);
  };

  const judge = (one: Tried, worth: number): void => {
    one.tries += 1;
    one.worth += (worth - one.worth) / Math.min(JUDGED, one.tries);
    if (one.tries < JUDGED) return;
    if (one.worth > 0) {
      one.rest = RESTS[0];
      return;
    }
    Object.assign(one, { tries: 0, worth: 0, left: one.rest, rest: Math.min(RESTS[1], 2 * one.rest) });
  };

  return {
    who: (company) => {
      const all = triedBy(company);
      for (const one of all) one.left = Math.max(0, one.left - 1);
      if (company.rows > 1 && !toll.isOpen) return undefined;
      if (plainOf(company) === undefined || balance() <= -lent - SLACK * making) return undefined;
      let best: number | undefined;
      for (const [at, { left, tries, worth }] of all.entries()) {
        if (left > 0) continue;
        // Who has hardly been tried goes first.
        if (tries < TRIED) return at;
        if (best === undefined || worth > (all[best]?.worth as number)) best = at;
      }
      return best;
    },
    width: (company, hoped) => {
      wanted = false;
      const group = groupOf(company);
      const plain = plainOf(company);
      if (plain === undefined) return 1;
      const clearly = company.rows >= MANY ? CLEARLY_FOR_MANY : CLEARLY;
      // Tokens in the time of a plain pass.
      let best = { width: 1, rate: hoped(1) };
      const missing: { readonly width: number; readonly cost: number }[] = [];
      for (const width of PASS_WIDTHS) {
        if (company.rows * width < FEWEST || company.rows * width > MOST) continue;
        const cost = costOf(group, company.rows, width, plain);
        if (group.widths.size > 0 && !group.widths.has(width)) missing.push({ width, cost });
        else if (hoped(width) / cost > best.rate / clearly) best = { width, rate: hoped(width) / cost };
      }
      for (const { width, cost } of missing) {
        // Its program has to be made first: as with skis, it is bought when hiring has cost as much.
        if (hoped(width) / cost <= best.rate / clearly) continue;
        const missed = (group.missed.get(width) ?? 0) + plain * (hoped(width) / best.rate - cost);
        group.missed.set(width, missed);
        wanted ||= best.width === 1;
        const paid = balance() >= making || pays(company);
        if (missed < (paid ? 1 : PATIENCE) * making || (!paid && unpaid.has(company.rows))) continue;
        best = { width, rate: hoped(width) / cost };
      }
      // What the other widths would have saved was saved over plain passes; over this one it is less.
      if (group.widths.size > 0 && best.width > 1 && !group.widths.has(best.width)) group.missed.clear();
      return best.width;
    },
    read: ({ milliseconds, making: made }) => {
      purse.time += milliseconds + made;
      toll.passed(milliseconds, 0);
    },
    spoke: (pass) => {
      const { who, width, milliseconds, making: made, guessing, said } = pass;
      purse.time += milliseconds + made + guessing;
      const group = groupOf(pass);
      const [plain, first] = [plainOf(pass), !group.widths.has(width)];
      const supposedly = plain === undefined ? milliseconds : plain * costOf(group, pass.rows, width, plain);
      // The first program of a shape would have been made anyway. A first pass takes longer than others do: that is part of the making.
      const extra = group.widths.size === 0 || !first ? 0 : made + Math.max(0, milliseconds - supposedly);
      remember(group, pass);
      if (who === undefined || plain === undefined) {
        toll.passed(milliseconds, 0);
        return;
      }
      // A pass of one token is what there would have been anyway, whatever it took.
      const cost = width === 1 ? plain : first ? supposedly : (timeOf(group, width) ?? milliseconds);
      const one = triedBy(pass)[who] as Tried;
      keep(one.times, guessing);
      const saved = plain * (width === 1 ? 1 : said) - cost - (median(one.times) as number);
      toll.passed(milliseconds, pass.rows > 1 ? saved : 0);
      if (extra > 0 && balance() < extra) {
        lent += extra;
        unpaid.add(pass.rows);
      }
      purse.saved += saved - extra;
      if (balance() > 0) {
        lent = 0;
        unpaid.clear();
      }
      if (one.begun && !first && !(width === 1 && wanted)) judge(one, saved / plain);
      one.begun = true;
    },
  };
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
