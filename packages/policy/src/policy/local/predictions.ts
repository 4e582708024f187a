/**
 * Which places of a micro-batch are asked for anything. Logits are computed for these alone: what a policy only reads
 * costs no pass through the head.
 */
import type { StatisticName } from "../objective.ts";
import { lengthBucket, placeOf, tokensOf, type MicroBatch } from "./batches.ts";
import { leadOf } from "./heads.ts";

export interface Predictions {
  /** How many the graph is built for; the last ones may be padding. */
  readonly count: number;
  /** The place of each; undefined when every place is asked, in order. */
  readonly places: BigInt64Array | undefined;
  /** Per member and position the prediction that belongs to it, or -1. */
  readonly slots: readonly Int32Array[];
}

/** 1 at the positions of a row whose output is asked for. A position speaks of the next token, "quality" of its own. */
export function wantedPositions(
  length: number,
  statistics: readonly StatisticName[],
  wanted: (token: number, name: StatisticName) => boolean,
): Uint8Array {
  const positions = new Uint8Array(length);
  for (const name of statistics) {
    const shift = leadOf(name);
    for (let token = shift; token < length; token += 1) if (wanted(token, name)) positions[token - shift] = 1;
  }
  return positions;
}

/** How many tokens must be read for that: up to the last position that is asked. */
export function neededLength(positions: Uint8Array): number {
  return positions.lastIndexOf(1) + 1;
}

/** Above this share of all places, gathering costs more than the head it saves. */
const NEARLY_ALL = 0.8;

/**
 * Rows of a tree that predict the same token from the same place share a prediction, unless `apart`: what is asked of
 * the place may differ where the place does not.
 */
export function predictionsOf(batch: MicroBatch, wanted: readonly Uint8Array[], apart: boolean): Predictions {
  const { layout, members } = batch;
  const tokens = tokensOf(layout);
  const asked = members.reduce((total, { row }) => total + (wanted[row] as Uint8Array).reduce((a, b) => a + b, 0), 0);
  if (layout.prefix === 0 && asked >= NEARLY_ALL * tokens) {
    const slots = members.map((member) =>
      (wanted[member.row] as Uint8Array).reduce(
        (found, asks, position) => {
          if (asks === 1) found[position] = placeOf(layout, member, position);
          return found;
        },
        new Int32Array((wanted[member.row] as Uint8Array).length).fill(-1),
      ),
    );
    return { count: tokens, places: undefined, slots };
  }
  const places: number[] = [];
  const known = new Map<number, number>();
  const slots = members.map((member) => {
    const positions = wanted[member.row] as Uint8Array;
    const found = new Int32Array(positions.length).fill(-1);
    for (let position = 0; position < positions.length; position += 1) {
      if (positions[position] !== 1) continue;
      const place = placeOf(layout, member, position);
      // The last place of a prefix foretells a different token for each branch.
      const sharable = !apart && position < member.shared - 1;
      const slot = (sharable ? known.get(place) : undefined) ?? places.push(place) - 1;
      if (sharable) known.set(place, slot);
      found[position] = slot;
    }
    return found;
  });
  // In quarters of the tokens: few shapes, and the head is a small part of the work.
  const step = lengthBucket(tokens / 4);
  const count = Math.ceil(Math.max(places.length, 1) / step) * step;
  const filled = new BigInt64Array(count);
  places.forEach((place, at) => (filled[at] = BigInt(place)));
  return { count, places: filled, slots };
}
