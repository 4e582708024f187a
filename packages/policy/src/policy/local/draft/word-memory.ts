/**
 * What came next before: a memory of short runs of tokens over everything in the contexts here, of this
 * conversation, by its siblings and by those before. Agents repeat what they read, so it often knows the next word. It also
 * keeps how often each kind of its guesses was right.
 */
export type WordMemory = ReturnType<typeof createWordMemory>;

interface Guess {
  readonly token: number;
  /** How likely it is, by those of its kind before. */
  readonly trust: number;
  /** By how long its run is and how often it followed in a row. */
  readonly source: number;
}

/** How many tokens a run has; the longest known one counts. */
const RUNS = [8, 4, 2, 1] as const;
/** Places of each table. Two runs that fall into one place push each other out: it is a memory, not a record. */
const PLACES = 2 ** 15;
/** Words that followed more often in a row than this are one kind. */
const SURE = 4;
/** A kind for each run and count, and one for each run's word before the last. */
const KINDS = SURE + 1;

interface Table {
  readonly run: number;
  /** The whole hash of the run that lies there. */
  readonly seen: Int32Array;
  readonly next: Int32Array;
  readonly sure: Uint8Array;
  /** The word that followed before `next` did; -1 for none. */
  readonly before: Int32Array;
}

export function createWordMemory() {
  const tables = RUNS.map((run): Table => ({
    run,
    seen: new Int32Array(PLACES),
    next: new Int32Array(PLACES),
    sure: new Uint8Array(PLACES),
    before: new Int32Array(PLACES).fill(-1),
  }));
  // What a word is believed at first: it is as likely to come as not.
  const record = createTrackRecord(RUNS.flatMap(() => Array.from({ length: KINDS }, () => 0.5)));
  const guess = (token: number, source: number): Guess => ({ token, trust: record.trust(source), source });
  /** Where the table has the end of these tokens, or -1. */
  const find = ({ run, seen, sure }: Table, tokens: ArrayLike<number>, count: number): number => {
    if (count < run) return -1;
    const hash = hashOf(tokens, count, run);
    const place = hash & (PLACES - 1);
    return seen[place] === hash && (sure[place] as number) > 0 ? place : -1;
  };
  const newest = (at: number, { next, sure }: Table, place: number): Guess =>
    guess(next[place] as number, at * KINDS + Math.min(SURE, sure[place] as number) - 1);
  const followers = (tokens: ArrayLike<number>, count: number): Guess[] =>
    tables.flatMap((table, at) => {
      const place = find(table, tokens, count);
      if (place < 0) return [];
      const before = table.before[place] as number;
      const last = newest(at, table, place);
      return before < 0 ? [last] : [last, guess(before, at * KINDS + SURE)];
    });
  return {
    /** Takes in the tokens from `from` up to `to`, each after what stands before it. */
    learn: (tokens: ArrayLike<number>, from: number, to: number): void => {
      for (const table of tables) {
        for (let at = Math.max(from, table.run); at < to; at += 1) remember(table, tokens, at);
      }
    },
    /** What followed the longest known end of these tokens, the last time. */
    next: (tokens: ArrayLike<number>, count: number): Guess | undefined => {
      // Asked for every guess of every row.
      for (let at = 0; at < tables.length; at += 1) {
        const table = tables[at] as Table;
        const place = find(table, tokens, count);
        if (place >= 0) return newest(at, table, place);
      }
      return undefined;
    },
    /** Other words that followed ends of these tokens, the longest first; the one of `next` is not among them. */
    others: (tokens: ArrayLike<number>, count: number): Guess[] => {
      const known = new Map<number, Guess>();
      for (const found of followers(tokens, count)) if (!known.has(found.token)) known.set(found.token, found);
      return [...known.values()].slice(1);
    },
    /** A guess of this kind was right, or was not. */
    judge: record.judge,
  };
}

/** What is believed of a kind before it was tried weighs as much as so many tries. */
const FIRST = 4;
/** After so many the older ones count half. */
const REMEMBERED = 512;

/** How often guesses of each kind were right, so that the next one of the kind is believed as much; `believed` says how likely each is at first. */
export function createTrackRecord(believed: readonly number[]) {
  const kinds = believed.map((trust) => ({ tried: FIRST, right: FIRST * trust }));
  return {
    trust: (kind: number): number => {
      const known = kinds[kind];
      return known === undefined ? 0 : known.right / known.tried;
    },
    judge: (kind: number, right: boolean): void => {
      const known = kinds[kind];
      if (known === undefined) return;
      known.tried += 1;
      if (right) known.right += 1;
      if (known.tried < REMEMBERED) return;
      known.tried /= 2;
      known.right /= 2;
    },
  };
}

function remember({ run, seen, next, sure, before }: Table, tokens: ArrayLike<number>, at: number): void {
  const hash = hashOf(tokens, at, run);
  const place = hash & (PLACES - 1);
  const token = tokens[at] as number;
  const known = seen[place] === hash && (sure[place] as number) > 0;
  if (known && next[place] === token) {
    sure[place] = Math.min(255, (sure[place] as number) + 1);
    return;
  }
  before[place] = known ? (next[place] as number) : -1;
  sure[place] = 1;
  seen[place] = hash;
  next[place] = token;
}

/** Of the `run` tokens before `end` (FNV-1a by whole numbers). */
function hashOf(tokens: ArrayLike<number>, end: number, run: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = end - run; at < end; at += 1) hash = Math.imul(hash ^ (tokens[at] as number), 0x01_00_01_93);
  return hash ^ (hash >>> 15);
}
