/**
 * Attention that scores few keys (AsyncTLS): blocks of keys first, by a bound of what any key of them could score, then the keys of the
 * likeliest blocks. It stops where all that was left out cannot move the result by more than the tolerance, or where the share of keys
 * that it may score is used up: then the error is what it is, and how large it could be is told.
 */

/** Keys of a block. */
export const BLOCK = 16;

/** What is known of a full block without looking at its keys. */
export interface Blocks {
  /** Least and greatest value of each place of its keys, block after block, [blocks, size]. */
  readonly least: Float32Array;
  readonly greatest: Float32Array;
  /** The largest size of any of its values, [blocks]. */
  readonly reach: Float32Array;
}

export interface Attended {
  /** Keys that were compared with the query, and values that were added up. */
  readonly scored: number;
  readonly added: number;
  /** The blocks whose keys were compared, in the order of their bounds. */
  readonly chosen: readonly number[];
  /** No number of the result can be further off than this, up to rounding. */
  readonly bound: number;
}

export interface Limits {
  /** How far off a number of the result may be. */
  readonly tolerance: number;
  /** Share of the keys that may be scored, whatever the tolerance says. */
  readonly most: number;
}

export interface Keys {
  /** [count, size], from `start` on. */
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly start: number;
  readonly count: number;
  readonly size: number;
}

/** Summaries for so many full blocks, from `from` on; those before are kept. */
export function summarise({ keys, values, start, size }: Keys, blocks: Blocks, from: number, until: number): void {
  const { least, greatest, reach } = blocks;
  for (let block = from; block < until; block += 1) {
    least.fill(Infinity, block * size, (block + 1) * size);
    greatest.fill(-Infinity, block * size, (block + 1) * size);
    let most = 0;
    for (let at = 0; at < BLOCK * size; at += 1) {
      const place = start + block * BLOCK * size + at;
      const to = block * size + (at % size);
      const value = keys[place] as number;
      if (value < (least[to] as number)) least[to] = value;
      if (value > (greatest[to] as number)) greatest[to] = value;
      most = Math.max(most, Math.abs(values[place] as number));
    }
    reach[block] = most;
  }
}

export function createBlocks(count: number, size: number): Blocks {
  return {
    least: new Float32Array(count * size),
    greatest: new Float32Array(count * size),
    reach: new Float32Array(count),
  };
}

/**
 * softmax(q K) V for one query, which is scaled already, over `count` keys and one more, the query's own. Written into `out`.
 */
export function attendTwoLevel(
  query: Float32Array,
  own: { readonly key: Float32Array; readonly value: Float32Array },
  from: Keys,
  blocks: Blocks,
  { tolerance, most }: Limits,
  out: Float32Array,
): Attended {
  const { keys, values, start, count, size } = from;
  const full = Math.floor(count / BLOCK);
  const bounds = new Float64Array(full);
  let reach = Math.max(...own.value.map(Math.abs));
  for (let block = 0; block < full; block += 1) {
    bounds[block] = boundOf(query, blocks, block, size);
    reach = Math.max(reach, blocks.reach[block] as number);
  }
  const order = Array.from(bounds.keys()).toSorted(
    (left, right) => (bounds[right] as number) - (bounds[left] as number),
  );
  const found: { readonly place: number; readonly score: number }[] = [];
  let top = dot(query, own.key, 0, size);
  const ownScore = top;
  const score = (first: number, until: number): void => {
    for (let at = first; at < until; at += 1) {
      const place = start + at * size;
      const value = dot(query, keys, place, size);
      if (value > top) top = value;
      found.push({ place, score: value });
    }
  };
  // The last keys are no full block, and most looked at anyway.
  for (let at = start + full * BLOCK * size; at < start + count * size; at += 1) {
    reach = Math.max(reach, Math.abs(values[at] as number));
  }
  score(full * BLOCK, count);
  // What blocks from a place of the order on could weigh, together, against the greatest bound.
  const highest = order.length === 0 ? -Infinity : (bounds[order[0] as number] as number);
  const after = new Float64Array(order.length + 1);
  for (let at = order.length - 1; at >= 0; at -= 1) {
    after[at] = (after[at + 1] as number) + BLOCK * Math.exp((bounds[order[at] as number] as number) - highest);
  }
  // The end of the context is looked at anyway, and a block at least.
  const room = Math.max(BLOCK + found.length, Math.floor(most * count));
  let taken = 0;
  // Left out weighs at most so much of the whole; a weighted mean of values moves by less than that times twice their reach.
  const leftOut = (): number => {
    const left = (after[taken] as number) * Math.exp(highest - top);
    return (left / (massOf(found, ownScore, top) + left)) * 2 * reach;
  };
  for (; taken < order.length && found.length + BLOCK <= room && leftOut() > tolerance / 2; taken += 1) {
    const block = order[taken] as number;
    score(block * BLOCK, (block + 1) * BLOCK);
  }
  const sum = massOf(found, ownScore, top);
  // Tokens: those that together weigh next to nothing are not added.
  const faint = (tolerance / 2 / (2 * Math.max(reach, Number.MIN_VALUE) * Math.max(1, found.length))) * sum;
  const chosen = found.filter((one) => Math.exp(one.score - top) >= faint);
  const whole = massOf(chosen, ownScore, top);
  const ownWeight = Math.exp(ownScore - top) / whole;
  for (let at = 0; at < size; at += 1) out[at] = ownWeight * (own.value[at] as number);
  for (const { place, score: value } of chosen) {
    const weight = Math.exp(value - top) / whole;
    for (let at = 0; at < size; at += 1) out[at] = (out[at] as number) + weight * (values[place + at] as number);
  }
  return {
    scored: found.length + 1,
    added: chosen.length + 1,
    chosen: order.slice(0, taken),
    bound: leftOut() + tolerance / 2,
  };
}

function massOf(found: readonly { readonly score: number }[], own: number, top: number): number {
  let sum = Math.exp(own - top);
  for (const { score } of found) sum += Math.exp(score - top);
  return sum;
}

/** What a key of the block scores at most: each place at whichever end of its range suits the query. */
function boundOf(query: Float32Array, { least, greatest }: Blocks, block: number, size: number): number {
  let sum = 0;
  for (let at = 0; at < size; at += 1) {
    const value = query[at] as number;
    sum += value * ((value > 0 ? greatest : least)[block * size + at] as number);
  }
  return sum;
}

function dot(left: Float32Array, right: Float32Array, start: number, size: number): number {
  let sum = 0;
  for (let at = 0; at < size; at += 1) sum += (left[at] as number) * (right[start + at] as number);
  return sum;
}
