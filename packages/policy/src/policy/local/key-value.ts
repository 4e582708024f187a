/**
 * Keys and values of what has been read: a store per conversation, and the arena, the batch that a decoding step works
 * on. Both lie as [heads, slots, headSize] per layer: what is new is a few long runs, and a whole history one run for
 * each head and segment.
 */
import type { ModelConfig } from "./model-config.ts";

/** Keys and values as float32, or as the bits of float16. */
export type CacheNumbers = Float32Array | Uint16Array;

function cacheNumbers({ halfCache }: ModelConfig, count: number): CacheNumbers {
  return halfCache === true ? new Uint16Array(count) : new Float32Array(count);
}

/** Some positions of a conversation. It never changes, so that forks and conversations with one opening share it. */
interface Segment {
  readonly start: number;
  readonly length: number;
  /** How many positions `data` was made for; at least `length`. */
  readonly slots: number;
  /** [layers, keys and values, heads, slots, headSize] */
  readonly data: CacheNumbers;
  /** The same for all that share `data`. To recognise it, keep this; the memory can go. */
  readonly mark: object;
}

/** What one conversation has read, ready to be loaded into any row of the arena. */
export interface KeyValueStore {
  length: number;
  segments: readonly Segment[];
}

/** More segments than these are joined into one: each costs a little at every load. */
const MOST_SEGMENTS = 16;

export function createStore(): KeyValueStore {
  return { length: 0, segments: [] };
}

/** An independent copy of the first `length` positions; the numbers themselves are shared. */
export function copyStore({ segments }: KeyValueStore, length: number): KeyValueStore {
  const kept = segments
    .filter(({ start }) => start < length)
    .map((segment) => ({ ...segment, length: Math.min(segment.length, length - segment.start) }));
  return { length, segments: kept };
}

/** The batch: one row per running conversation, `slots` positions each, as the decoding graph takes it. */
export interface Arena {
  readonly rows: number;
  readonly slots: number;
  readonly keys: readonly CacheNumbers[];
  readonly values: readonly CacheNumbers[];
  /** The segments that lie in each row, from its first position on, also after the row has left. */
  readonly seats: (readonly Lying[])[];
}

type Lying = Pick<Segment, "mark" | "length">;

export function createArena(config: ModelConfig, rows: number, slots: number): Arena {
  const size = rows * config.keyValueHeads * config.headSize * slots;
  const tensors = (): CacheNumbers[] => Array.from({ length: config.layers }, () => cacheNumbers(config, size));
  return { rows, slots, keys: tensors(), values: tensors(), seats: Array.from({ length: rows }, () => []) };
}

/**
 * Copies a conversation into a row. A conversation that comes back to its seat (from another lane, or for its next turn), or
 * a fork of the one that sat there, finds most of it still lying there: loading all would cost as much as some steps.
 */
export function loadRow(config: ModelConfig, arena: Arena, row: number, { segments }: KeyValueStore): void {
  const lying = arena.seats[row] ?? [];
  const isThere = ({ mark, length }: Segment, at: number): boolean =>
    lying[at]?.mark === mark && lying[at].length >= length;
  const missing = segments.findIndex((segment, at) => !isThere(segment, at));
  sitDown(arena, row, segments);
  if (missing < 0) return;
  for (const segment of segments.slice(missing)) {
    const { start, length } = segment;
    for (let layer = 0; layer < config.layers; layer += 1) {
      move(config, segmentSide(config, segment, layer), arenaSide(config, arena, layer, row, start), length);
    }
  }
}

/** Copies positions from `store.length` up to `length` back from the arena. */
export function saveRow(config: ModelConfig, arena: Arena, row: number, store: KeyValueStore, length: number): void {
  if (length <= store.length) return;
  // Joined from time to time: then everything is read back, not only what is new.
  const joined = store.segments.length >= MOST_SEGMENTS;
  const start = joined ? 0 : store.length;
  const slots = length - start;
  const size = config.layers * 2 * config.keyValueHeads * slots * config.headSize;
  const segment = { start, length: slots, slots, data: cacheNumbers(config, size), mark: {} };
  for (let layer = 0; layer < config.layers; layer += 1) {
    move(config, arenaSide(config, arena, layer, row, start), segmentSide(config, segment, layer), slots);
  }
  store.segments = joined ? [segment] : [...store.segments, segment];
  store.length = length;
  sitDown(arena, row, store.segments);
}

function sitDown(arena: Arena, row: number, segments: readonly Segment[]): void {
  arena.seats[row] = segments.map(({ mark, length }) => ({ mark, length }));
}

/** Moves a row's first `length` positions to another row, of this arena or a larger one. */
export function moveRow(
  config: ModelConfig,
  from: { readonly arena: Arena; readonly row: number },
  to: { readonly arena: Arena; readonly row: number },
  length: number,
): void {
  to.arena.seats[to.row] = from.arena.seats[from.row] ?? [];
  for (let layer = 0; layer < config.layers; layer += 1) {
    move(
      config,
      arenaSide(config, from.arena, layer, from.row, 0),
      arenaSide(config, to.arena, layer, to.row, 0),
      length,
    );
  }
}

/** Writes `count` new positions of one row and layer, taken from a decoding step of `width` tokens. */
export function writeRow(
  { keyValueHeads, headSize }: ModelConfig,
  { keys, values, slots }: Arena,
  row: number,
  start: number,
  fresh: {
    readonly layer: number;
    readonly keys: CacheNumbers;
    readonly values: CacheNumbers;
    readonly width: number;
    readonly count: number;
  },
): void {
  const { layer, width } = fresh;
  const length = fresh.count * headSize;
  // Done for every row and layer of every step.
  for (let head = row * keyValueHeads; head < (row + 1) * keyValueHeads; head += 1) {
    const source = head * width * headSize;
    const place = (head * slots + start) * headSize;
    copy(fresh.keys, source, keys[layer] as CacheNumbers, place, length);
    copy(fresh.values, source, values[layer] as CacheNumbers, place, length);
  }
}

/** Copies one position of a row to an earlier one. */
export function moveSlot(config: ModelConfig, arena: Arena, row: number, from: number, to: number): void {
  for (let layer = 0; layer < config.layers; layer += 1) {
    move(config, arenaSide(config, arena, layer, row, from), arenaSide(config, arena, layer, row, to), 1);
  }
}

/** Keys and values of one layer and row from some position on, wherever they lie. */
interface Side {
  readonly keys: CacheNumbers;
  readonly values: CacheNumbers;
  readonly slots: number;
  /** The place of the position in the first head. */
  readonly firstKey: number;
  readonly firstValue: number;
}

function arenaSide(
  { keyValueHeads, headSize }: ModelConfig,
  { keys, values, slots }: Arena,
  layer: number,
  row: number,
  position: number,
): Side {
  const first = (row * keyValueHeads * slots + position) * headSize;
  return {
    keys: keys[layer] as CacheNumbers,
    values: values[layer] as CacheNumbers,
    slots,
    firstKey: first,
    firstValue: first,
  };
}

function segmentSide({ keyValueHeads, headSize }: ModelConfig, { data, slots }: Segment, layer: number): Side {
  const size = keyValueHeads * slots * headSize;
  const firstKey = 2 * layer * size;
  return { keys: data, values: data, slots, firstKey, firstValue: firstKey + size };
}

function move({ keyValueHeads, headSize }: ModelConfig, from: Side, to: Side, length: number): void {
  for (let head = 0; head < keyValueHeads; head += 1) {
    const source = head * from.slots * headSize;
    const place = head * to.slots * headSize;
    copy(from.keys, from.firstKey + source, to.keys, to.firstKey + place, length * headSize);
    copy(from.values, from.firstValue + source, to.values, to.firstValue + place, length * headSize);
  }
}

/** Up to about this many numbers, a plain loop is faster than making a view for `set`. */
const FEW = 64;

function copy(from: CacheNumbers, source: number, to: CacheNumbers, place: number, length: number): void {
  if (length > FEW) to.set(from.subarray(source, source + length), place);
  else for (let at = 0; at < length; at += 1) to[place + at] = from[source + at] as number;
}

// Arenas that no lane uses at the moment. Rows wander between lanes, so what one lane gives back is what the next one
// needs; new memory would have to be zeroed and mapped first, which takes as long as several steps.

/** Kept for the next sequences; 64 rows of 1,024 positions of a small model are 256 MiB. */
const MOST_KEPT_BYTES = 320 * 2 ** 20;

export type ArenaPool = ReturnType<typeof createArenaPool>;

export function createArenaPool(config: ModelConfig) {
  const free: Arena[] = [];
  return {
    /** At least that many rows of exactly that many positions. What lies in it is left over from others. */
    take: (rows: number, slots: number): Arena => {
      // The one given back last: the next rows have most likely just left it, and find what it held.
      const at = free.findLastIndex((arena) => arena.slots === slots && arena.rows >= rows);
      return (at < 0 ? undefined : free.splice(at, 1)[0]) ?? createArena(config, rows, slots);
    },
    give: (arena: Arena): void => {
      free.push(arena);
      let bytes = free.reduce((total, one) => total + arenaBytes(one), 0);
      while (bytes > MOST_KEPT_BYTES) bytes -= arenaBytes(free.shift() as Arena);
    },
    /** Forgets all: after a failure, numbers that are not finite may lie in them. */
    clear: (): void => void free.splice(0),
  };
}

function arenaBytes({ keys, values }: Arena): number {
  return [...keys, ...values].reduce((total, { byteLength }) => total + byteLength, 0);
}
