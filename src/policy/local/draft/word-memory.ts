/**
 * What came next the last time: a memory of short runs of tokens over everything that was read and said here, by this
 * conversation, by its siblings and by those before. Agents repeat what they read, so it often knows the next word.
 */

export interface WordMemory {
  /** Takes in the tokens from `from` up to `to`, each after what stands before it. */
  learn(tokens: ArrayLike<number>, from: number, to: number): void;
  /** The token that followed the longest known end of these tokens, where it is known well enough. */
  next(tokens: ArrayLike<number>, count: number): number | undefined;
}

/** How many tokens a run has; the longest that is known speaks. */
const RUNS = [6, 4, 2] as const;
/** Places of each table. Two runs that fall into one place push each other out: it is a memory, not a record. */
const PLACES = 2 ** 15;
/** A run has to be followed by the same token so often in a row. */
const SURE = 2;

interface Table {
  readonly run: number;
  /** The whole hash of the run that lies there. */
  readonly seen: Int32Array;
  readonly next: Int32Array;
  readonly sure: Uint8Array;
}

export function createWordMemory(): WordMemory {
  const tables = RUNS.map((run): Table => ({
    run,
    seen: new Int32Array(PLACES),
    next: new Int32Array(PLACES),
    sure: new Uint8Array(PLACES),
  }));
  return {
    learn: (tokens, from, to) => {
      for (const table of tables) {
        for (let at = Math.max(from, table.run); at < to; at += 1) remember(table, tokens, at);
      }
    },
    next: (tokens, count) => {
      for (const { run, seen, next, sure } of tables) {
        if (count < run) continue;
        const hash = hashOf(tokens, count, run);
        const place = hash & (PLACES - 1);
        if (seen[place] === hash && (sure[place] as number) >= SURE) return next[place];
      }
      return undefined;
    },
  };
}

function remember({ run, seen, next, sure }: Table, tokens: ArrayLike<number>, at: number): void {
  const hash = hashOf(tokens, at, run);
  const place = hash & (PLACES - 1);
  const token = tokens[at] as number;
  const same = seen[place] === hash && next[place] === token;
  sure[place] = same ? Math.min(255, (sure[place] as number) + 1) : 1;
  seen[place] = hash;
  next[place] = token;
}

/** Of the `run` tokens before `end` (FNV-1a by whole numbers). */
function hashOf(tokens: ArrayLike<number>, end: number, run: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = end - run; at < end; at += 1) hash = Math.imul(hash ^ (tokens[at] as number), 0x01_00_01_93);
  return hash ^ (hash >>> 15);
}
