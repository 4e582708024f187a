/**
 * Keys and values of what has been read: a compact store per conversation, and the arena, the batch that a decoding
 * step works on. Keys and values lie as [heads, slots, headSize], per layer: what is new is a few long runs, and a whole
 * history one run for each head.
 */
import type { ModelConfig } from "./model-config.ts";

/** What one conversation has read, ready to be loaded into any row of the arena. */
export interface KeyValueStore {
  length: number;
  capacity: number;
  readonly keys: Float32Array[];
  readonly values: Float32Array[];
}

export function createStore(config: ModelConfig): KeyValueStore {
  const empty = (): Float32Array[] => Array.from({ length: config.layers }, () => new Float32Array(0));
  return { length: 0, capacity: 0, keys: empty(), values: empty() };
}

/** An independent copy of the first `length` positions. */
export function copyStore(config: ModelConfig, from: KeyValueStore, length = from.length): KeyValueStore {
  const copy = createStore(config);
  reserve(config, copy, length);
  for (let layer = 0; layer < config.layers; layer += 1) {
    moveBlock(config, side(from, layer), side(copy, layer), { start: 0, length });
  }
  copy.length = length;
  return copy;
}

/** Makes room for this many positions; grows by half, so that a long conversation copies itself only a few times. */
function reserve(config: ModelConfig, store: KeyValueStore, wanted: number): void {
  if (wanted <= store.capacity) return;
  const capacity = Math.max(wanted, Math.ceil(store.capacity * 1.5), 64);
  const size = config.keyValueHeads * config.headSize * capacity;
  for (let layer = 0; layer < config.layers; layer += 1) {
    const grown: Side = { keys: new Float32Array(size), values: new Float32Array(size), slots: capacity, row: 0 };
    moveBlock(config, side(store, layer), grown, { start: 0, length: store.length });
    store.keys[layer] = grown.keys;
    store.values[layer] = grown.values;
  }
  store.capacity = capacity;
}

/** The batch: one row per running conversation, `slots` positions each, as the decoding graph takes it. */
export interface Arena {
  readonly slots: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

export function createArena(config: ModelConfig, rows: number, slots: number): Arena {
  const size = rows * config.keyValueHeads * config.headSize * slots;
  const tensors = (): Float32Array[] => Array.from({ length: config.layers }, () => new Float32Array(size));
  return { slots, keys: tensors(), values: tensors() };
}

export function loadRow(config: ModelConfig, arena: Arena, row: number, store: KeyValueStore): void {
  for (let layer = 0; layer < config.layers; layer += 1) {
    moveBlock(config, side(store, layer), arenaSide(arena, layer, row), { start: 0, length: store.length });
  }
}

/** Copies positions from `store.length` up to `length` back from the arena. */
export function saveRow(config: ModelConfig, arena: Arena, row: number, store: KeyValueStore, length: number): void {
  reserve(config, store, length);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const start = store.length;
    moveBlock(config, arenaSide(arena, layer, row), side(store, layer), { start, length: length - start });
  }
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
    moveBlock(config, arenaSide(from.arena, layer, from.row), arenaSide(to.arena, layer, to.row), { start: 0, length });
  }
}

/** Writes `count` new positions of one row, taken from a decoding step of `width` tokens. */
export function writeRow(
  config: ModelConfig,
  arena: Arena,
  row: number,
  start: number,
  fresh: {
    readonly layer: number;
    readonly keys: Float32Array;
    readonly values: Float32Array;
    readonly width: number;
    readonly count: number;
  },
): void {
  const from: Side = { keys: fresh.keys, values: fresh.values, slots: fresh.width, row };
  moveBlock(config, from, arenaSide(arena, fresh.layer, row), { start: 0, length: fresh.count, to: start });
}

/** One layer of one row, wherever it lies. */
interface Side {
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly slots: number;
  readonly row: number;
}

function side(store: KeyValueStore, layer: number): Side {
  return {
    keys: store.keys[layer] as Float32Array,
    values: store.values[layer] as Float32Array,
    slots: store.capacity,
    row: 0,
  };
}

function arenaSide(arena: Arena, layer: number, row: number): Side {
  return {
    keys: arena.keys[layer] as Float32Array,
    values: arena.values[layer] as Float32Array,
    slots: arena.slots,
    row,
  };
}

function moveBlock(
  { keyValueHeads, headSize }: ModelConfig,
  from: Side,
  to: Side,
  range: { readonly start: number; readonly length: number; readonly to?: number },
): void {
  const { start, length } = range;
  if (length <= 0) return;
  let source = (from.row * keyValueHeads * from.slots + start) * headSize;
  let place = (to.row * keyValueHeads * to.slots + (range.to ?? start)) * headSize;
  for (let head = 0; head < keyValueHeads; head += 1) {
    copy(from.keys, source, to.keys, place, length * headSize);
    copy(from.values, source, to.values, place, length * headSize);
    source += from.slots * headSize;
    place += to.slots * headSize;
  }
}

/** Up to about this many numbers, a plain loop is faster than making a view for `set`. */
const FEW = 64;

function copy(from: Float32Array, source: number, to: Float32Array, place: number, length: number): void {
  if (length > FEW) to.set(from.subarray(source, source + length), place);
  else for (let at = 0; at < length; at += 1) to[place + at] = from[source + at] as number;
}
