/**
 * Whether those who speak together guess at all. Guesses bring rows out of step: they end at different times, read apart, and passes
 * of fewer rows are hardly shorter. No single pass shows that; over whole rollouts it was two to four of a hundred of all time. So guesses
 * for several rows go on where they save more than that, and rest longer and longer where they do not.
 */

/** Of all time, what guesses for several rows have to save. */
const LEAST = 0.04;
/** Passes that are looked at, reading included. */
const LOOKED = 512;
/** Passes without: at first, and at most. */
const RESTS = [1_024, 16_384] as const;

export interface Toll {
  /** Whether several rows may guess. */
  readonly isOpen: boolean;
  /** A pass of any kind, with what its guesses saved, the making of programs left out. */
  passed(milliseconds: number, saved: number): void;
}

export function createToll(): Toll {
  let [passes, time, saved, left, rest]: [number, number, number, number, number] = [0, 0, 0, 0, RESTS[0]];
  return {
    get isOpen() {
      return left === 0;
    },
    passed: (milliseconds, won) => {
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
      rest = pays ? RESTS[0] : Math.min(RESTS[1], 2 * rest);
      [passes, time, saved] = [0, 0, 0];
    },
  };
}
