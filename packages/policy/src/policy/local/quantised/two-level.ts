/**
 * Two-level attention at work in the decoding of a quantised model: a graph makes queries, keys and values of the new tokens, and the keys
 * of the cache are looked at here. Summaries of blocks are kept from step to step.
 */
import { EngineError } from "limbeck-base/base/errors";
import { input, type Tensor } from "../../../graph/tensor.ts";
import { ops } from "../../../graph/build.ts";
import type { Program } from "../../../graph/program.ts";
import { decodeReading, type DecodeShape } from "../decode-graph.ts";
import type { Reading } from "../layers.ts";
import type { ModelConfig } from "../model-config.ts";
import type { AttentionCounts } from "../sampler-options.ts";
import { HIDDEN } from "../transformer.ts";
import { type AttentionKind, checkAttentionKind } from "./kinds.ts";

export interface SparseOptions extends Limits {
  /** Contexts shorter than this are scored whole, and not counted. */
  readonly from: number;
  /** Is shown every result, to compare. */
  readonly watch?: (seen: Watched) => void;
}

/** One head of one layer of one row. */
export interface Watched {
  readonly query: Float32Array;
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly own: { readonly key: Float32Array; readonly value: Float32Array };
  readonly count: number;
  readonly scored: number;
  readonly result: Float32Array;
}

const SPARSE: SparseOptions = { tolerance: 1e-3, most: 0.25, from: 256 };

interface Held {
  readonly blocks: Blocks;
  readonly slots: number;
  /** The first number of every key that is in a summary: other numbers are other keys. */
  readonly marks: Float32Array;
  known: number;
  chosen: ReadonlySet<number>;
}

/** The arrays of a step: what was read before, and what the graph made of the new tokens. */
interface StepArrays {
  readonly queries: Float32Array;
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly newKeys: Float32Array;
  readonly newValues: Float32Array;
  readonly past: Float32Array;
}

export class SparseAttention {
  readonly counts: AttentionCounts = { keys: 0, scored: 0, added: 0, blocks: 0, again: 0 };
  readonly #config: ModelConfig;
  readonly #options: SparseOptions;
  readonly #held = new Map<string, Held>();

  constructor(config: ModelConfig, options: SparseOptions = SPARSE) {
    this.#config = config;
    this.#options = options;
  }

  /** The reading of a step of one token, of which the graph only makes the query. */
  reading(shape: DecodeShape, fresh: Record<string, Tensor>): Reading {
    const { heads, headSize } = this.#config;
    return {
      ...decodeReading(this.#config, shape, fresh),
      attend: (layer, { query, key, value }) => {
        fresh[`newKeys.${layer}`] = ops.transpose(key, [0, 2, 1, 3]);
        fresh[`newValues.${layer}`] = ops.transpose(value, [0, 2, 1, 3]);
        return ops.reshape(query, [shape.rows * shape.width, heads * headSize]);
      },
    };
  }

  /** The program of that graph with attention after it; `like` is the layer that it was made for. */
  around(program: Program, shape: DecodeShape, like: number, layer: number): Program {
    const { keyValueHeads, headSize } = this.#config;
    const cache = [shape.rows, keyValueHeads, shape.slots, headSize];
    const inputs = {
      ...program.model.inputs,
      [`keys.${like}`]: input(`keys.${like}`, "float32", cache),
      [`values.${like}`]: input(`values.${like}`, "float32", cache),
    } as Program["model"]["inputs"];
    return {
      ...program,
      model: { ...program.model, inputs },
      run: async (feeds, into = {}) => {
        const made = await program.run(feeds, into);
        const mixed = this.#attend(shape, layer, {
          queries: made["mixed"] as Float32Array,
          keys: feeds[`keys.${like}`] as Float32Array,
          values: feeds[`values.${like}`] as Float32Array,
          newKeys: made[`newKeys.${like}`] as Float32Array,
          newValues: made[`newValues.${like}`] as Float32Array,
          past: feeds["past"] as Float32Array,
        });
        return { ...made, mixed };
      },
    };
  }

  #attend({ rows, slots }: DecodeShape, layer: number, arrays: StepArrays): Float32Array {
    const { heads, keyValueHeads, headSize: size } = this.#config;
    const mixed = new Float32Array(rows * heads * size);
    for (let row = 0; row < rows; row += 1) {
      const count = usedSlots(arrays.past, row * slots, slots);
      for (let head = 0; head < heads; head += 1) {
        const group = row * keyValueHeads + Math.floor(head / (heads / keyValueHeads));
        const place = (row * heads + head) * size;
        const result = mixed.subarray(place, place + size);
        this.#attendHead({ layer, group, place, count, slots }, arrays, result);
      }
    }
    return mixed;
  }

  #attendHead(
    at: {
      readonly layer: number;
      readonly group: number;
      readonly place: number;
      readonly count: number;
      readonly slots: number;
    },
    { queries, keys, values, newKeys, newValues }: StepArrays,
    result: Float32Array,
  ): void {
    const { layer, group, place, count, slots } = at;
    const { headSize: size } = this.#config;
    const { from, watch } = this.#options;
    const known = { keys, values, start: group * slots * size, count, size };
    const part = (of: Float32Array): Float32Array => of.subarray(group * size, (group + 1) * size);
    const query = queries.subarray(place, place + size);
    const own = { key: part(newKeys), value: part(newValues) };
    const held = this.#summaries(`${layer} ${group}`, known, slots);
    const done = attendTwoLevel(query, own, known, held.blocks, count < from ? WHOLE : this.#options, result);
    if (count < from) return;
    const { counts } = this;
    counts.keys += count + 1;
    counts.scored += done.scored;
    counts.added += done.added;
    counts.blocks += done.chosen.length;
    counts.again += done.chosen.filter((block) => held.chosen.has(block)).length;
    held.chosen = new Set(done.chosen);
    const seen = (of: Float32Array): Float32Array => of.subarray(known.start, known.start + count * size);
    watch?.({ query, keys: seen(keys), values: seen(values), own, count, scored: done.scored, result });
  }

  /** Summaries of a head's keys, made where they are missing or were of others. */
  #summaries(name: string, known: Keys, slots: number): Held {
    const { keys, start, count, size } = known;
    const full = Math.floor(count / BLOCK);
    let own = this.#held.get(name);
    if (own === undefined || own.slots < slots) {
      const room = Math.ceil(slots / BLOCK);
      const marks = new Float32Array(room * BLOCK);
      own = { blocks: createBlocks(room, size), slots, marks, known: 0, chosen: new Set() };
      this.#held.set(name, own);
    }
    let same = 0;
    while (same < Math.min(own.known, full) * BLOCK && own.marks[same] === keys[start + same * size]) same += 1;
    const from = Math.floor(same / BLOCK);
    summarise(known, own.blocks, from, full);
    for (let at = from * BLOCK; at < full * BLOCK; at += 1) own.marks[at] = keys[start + at * size] as number;
    own.known = full;
    return own;
  }
}

const WHOLE: Limits = { tolerance: 0, most: 1 };

/** Slots in use lie together, from the first on. */
function usedSlots(past: Float32Array, from: number, slots: number): number {
  let count = 0;
  while (count < slots && past[from + count] !== HIDDEN) count += 1;
  return count;
}

/** What an asked kind of attention means for a model with quantised weights; undefined: every key is scored. */
export function sparseFor(
  asked: AttentionKind | SparseOptions | undefined,
  { window, halfCache }: ModelConfig,
): SparseOptions | undefined {
  if (typeof asked !== "object") checkAttentionKind(asked);
  if (asked === undefined || asked === "full") return undefined;
  if (window === undefined && halfCache !== true) return typeof asked === "object" ? asked : SPARSE;
  throw new EngineError(
    "needs-unmet",
    "attention two-level is for models whose layers all see the whole context, with a cache in float32. Leave it out, or leave --cache out.",
  );
}

// Attention that scores few keys (AsyncTLS): blocks of keys first, by a bound of what any key of them could score, then the keys of the
// likeliest blocks. It stops where all that was left out cannot move the result by more than the tolerance, or where the share of keys
// that it may score is used up: then the error is what it is, and a bound of it is returned.

/** Keys of a block. */
export const BLOCK = 16;

/** What is known of a full block without looking at its keys. */
interface Blocks {
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

interface Limits {
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
