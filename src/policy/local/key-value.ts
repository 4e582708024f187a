/**
 * Keys and values of what has been read: a store per conversation, and the arena, the batch that a decoding step works
 * on. Both lie as [heads, headSize, slots] per layer, a line of positions for every number of a head. A decoding step reads
 * all of it and little else, and the processor fetches several lines at a time where it would fetch one long run: with
 * more than its cache holds, a step took two thirds of the time of [heads, slots, headSize]. (What is new then lies
 * scattered over the lines, which costs a few per cent of that.)
 */
import type { ModelConfig } from "./model-config.ts";

/** Some positions of a conversation. It never changes, so that forks and conversations with one opening share it. */
interface Segment {
  readonly start: number;
  readonly length: number;
  /** How many positions `data` was made for; at least `length`. */
  readonly slots: number;
  /** [layers, keys and values, heads, headSize, slots] */
  readonly data: Float32Array;
}

/** What one conversation has read, ready to be loaded into any row of the arena. */
export interface KeyValueStore {
  /** Stands for what was read: another one when it is read anew, or by a copy. */
  readonly owner: object;
  length: number;
  segments: readonly Segment[];
}

export function createStore(): KeyValueStore {
  return { owner: {}, length: 0, segments: [] };
}

/** An independent copy of the first `length` positions; the numbers themselves are shared. */
export function copyStore({ segments }: KeyValueStore, length: number): KeyValueStore {
  const kept = segments
    .filter(({ start }) => start < length)
    .map((segment) => ({ ...segment, length: Math.min(segment.length, length - segment.start) }));
  return { owner: {}, length, segments: kept };
}

/** The batch: one row per running conversation, `slots` positions each, as the decoding graph takes it. */
export interface Arena {
  readonly rows: number;
  readonly slots: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

export function createArena(config: ModelConfig, rows: number, slots: number): Arena {
  const size = rows * config.keyValueHeads * config.headSize * slots;
  const tensors = (): Float32Array[] => Array.from({ length: config.layers }, () => new Float32Array(size));
  return { rows, slots, keys: tensors(), values: tensors() };
}

/** Positions from `known` on; those before it already lie there. */
export function loadRow(
  config: ModelConfig,
  arena: Arena,
  row: number,
  { segments }: KeyValueStore,
  known: number,
): void {
  for (const segment of segments) {
    const skipped = Math.max(0, known - segment.start);
    const length = segment.length - skipped;
    if (length <= 0) continue;
    for (let layer = 0; layer < config.layers; layer += 1) {
      const to = arenaSide(config, arena, layer, row, segment.start + skipped);
      move(config, segmentSide(config, segment, layer, skipped), to, length);
    }
  }
}

/**
 * Copies positions from `store.length` up to `length` back from the arena. Each segment costs a little at every load, so
 * the last ones are joined with what is new unless they are at least twice as long: there are never many.
 */
export function saveRow(config: ModelConfig, arena: Arena, row: number, store: KeyValueStore, length: number): void {
  if (length <= store.length) return;
  const segments = [...store.segments];
  let start = store.length;
  for (let last = segments.at(-1); last !== undefined && last.length < 2 * (length - start); last = segments.at(-1)) {
    ({ start } = last);
    segments.pop();
  }
  const slots = length - start;
  const size = config.layers * 2 * linesOf(config) * slots;
  const segment = { start, length: slots, slots, data: new Float32Array(size) };
  for (let layer = 0; layer < config.layers; layer += 1) {
    move(config, arenaSide(config, arena, layer, row, start), segmentSide(config, segment, layer, 0), slots);
  }
  store.segments = [...segments, segment];
  store.length = length;
}

/** Moves a row's first `length` positions to another row, of this arena or a larger one. */
export function moveRow(
  config: ModelConfig,
  from: { readonly arena: Arena; readonly row: number },
  to: { readonly arena: Arena; readonly row: number },
  length: number,
): void {
  for (let layer = 0; layer < config.layers; layer += 1) {
    move(
      config,
      arenaSide(config, from.arena, layer, from.row, 0),
      arenaSide(config, to.arena, layer, to.row, 0),
      length,
    );
  }
}

/** Writes `count` new positions of one row, taken from a decoding step of `width` tokens. */
export function writeRow(
  config: ModelConfig,
  arena: Arena,
  row: number,
  start: number,
  fresh: {
    /** Which row of the step it was. */
    readonly row: number;
    readonly layer: number;
    readonly keys: Float32Array;
    readonly values: Float32Array;
    readonly width: number;
    readonly count: number;
  },
): void {
  const { keys, values, width, layer, count } = fresh;
  const first = fresh.row * linesOf(config) * width;
  const from = { keys, values, slots: width, firstKey: first, firstValue: first };
  move(config, from, arenaSide(config, arena, layer, row, start), count);
}

/** Keys and values of one layer and row from some position on, wherever they lie. */
interface Side {
  readonly keys: Float32Array;
  readonly values: Float32Array;
  /** How far apart lines are. */
  readonly slots: number;
  /** The place of the position in the first line. */
  readonly firstKey: number;
  readonly firstValue: number;
}

function linesOf({ keyValueHeads, headSize }: ModelConfig): number {
  return keyValueHeads * headSize;
}

function arenaSide(
  config: ModelConfig,
  { keys, values, slots }: Arena,
  layer: number,
  row: number,
  position: number,
): Side {
  const first = row * linesOf(config) * slots + position;
  return {
    keys: keys[layer] as Float32Array,
    values: values[layer] as Float32Array,
    slots,
    firstKey: first,
    firstValue: first,
  };
}

function segmentSide(config: ModelConfig, { data, slots }: Segment, layer: number, skipped: number): Side {
  const size = linesOf(config) * slots;
  const firstKey = 2 * layer * size + skipped;
  return { keys: data, values: data, slots, firstKey, firstValue: firstKey + size };
}

function move(config: ModelConfig, from: Side, to: Side, length: number): void {
  const lines = linesOf(config);
  copyLines(lines, from.keys, from.firstKey, from.slots, to.keys, to.firstKey, to.slots, length);
  copyLines(lines, from.values, from.firstValue, from.slots, to.values, to.firstValue, to.slots, length);
}

/** Up to about this many numbers, a plain loop is faster than making a view for `set`. */
const FEW = 96;

function copyLines(
  lines: number,
  from: Float32Array,
  firstSource: number,
  sourceSlots: number,
  to: Float32Array,
  firstPlace: number,
  slots: number,
  length: number,
): void {
  if (length === 1) {
    // One new token of every row at every step: a loop in the loop would take longer than the work.
    for (let line = 0; line < lines; line += 1) {
      to[firstPlace + line * slots] = from[firstSource + line * sourceSlots] as number;
    }
    return;
  }
  let source = firstSource;
  let place = firstPlace;
  for (let line = 0; line < lines; line += 1) {
    if (length > FEW) to.set(from.subarray(source, source + length), place);
    else for (let at = 0; at < length; at += 1) to[place + at] = from[source + at] as number;
    source += sourceSlots;
    place += slots;
  }
}
