/** How often guesses of each kind were right, so that the next one of the kind is believed as much. */

export interface TrackRecord {
  trust(kind: number): number;
  judge(kind: number, right: boolean): void;
}

/** What is believed of a kind before it was tried weighs as much as so many tries. */
const FIRST = 4;
/** After so many the older ones count half. */
const REMEMBERED = 512;

/** `believed` says how likely each kind is at first. */
export function createTrackRecord(believed: readonly number[]): TrackRecord {
  const kinds = believed.map((trust) => ({ tried: FIRST, right: FIRST * trust }));
  return {
    trust: (kind) => {
      const known = kinds[kind];
      return known === undefined ? 0 : known.right / known.tried;
    },
    judge: (kind, right) => {
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
