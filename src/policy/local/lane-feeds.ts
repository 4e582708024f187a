/** What the runs of a lane are fed with. */
import type { DecodeShape } from "./decode-graph.ts";
import type { Arena, CacheNumbers } from "./key-value.ts";
import type { ModelConfig } from "./model-config.ts";
import { HIDDEN, VISIBLE } from "./transformer.ts";

/** What a step is fed with. It is kept as long as the shape and the arena are: the runtime knows the same arrays again. */
export interface Fed {
  readonly arena: Arena;
  readonly mask: Mask;
  readonly ids: BigInt64Array;
  readonly last: BigInt64Array;
  readonly positions: BigInt64Array;
  readonly sharpness: Float32Array;
  /** Who sees whom among the new tokens, where they are a tree. */
  readonly among: Float32Array;
  /** The part of the cache and of the mask that the rows take. */
  readonly views: Readonly<Record<string, CacheNumbers>>;
}

export function createFed(
  { keyValueHeads, headSize }: ModelConfig,
  arena: Arena,
  mask: Mask,
  { rows, width, tree = false, twice = false }: DecodeShape,
  first: number,
): Fed {
  const { slots } = arena;
  const size = keyValueHeads * headSize * slots;
  const past = mask.values.subarray(first * slots, (first + rows) * slots);
  const views: Record<string, CacheNumbers> = { past };
  const part = (all: CacheNumbers): CacheNumbers => all.subarray(first * size, (first + rows) * size);
  arena.keys.forEach((keys, layer) => (views[`keys.${layer}`] = part(keys)));
  arena.values.forEach((values, layer) => (views[`values.${layer}`] = part(values)));
  const asked = twice ? 2 * rows : rows;
  return {
    arena,
    mask,
    ids: new BigInt64Array(rows * width),
    last: new BigInt64Array(asked),
    positions: new BigInt64Array(rows * width),
    sharpness: new Float32Array(asked),
    among: new Float32Array(tree ? rows * width * width : 0).fill(HIDDEN),
    views,
  };
}

/** Which slots of each row are in use. It is kept between steps, which change it by a slot or so. */
export interface Mask {
  readonly slots: number;
  readonly values: Float32Array;
  readonly seen: Int32Array;
}

export function createMask(rows: number, slots: number): Mask {
  return { slots, values: new Float32Array(rows * slots).fill(HIDDEN), seen: new Int32Array(rows) };
}

export function show({ slots, values, seen }: Mask, row: number, count: number): void {
  const before = seen[row] as number;
  if (count > before) values.fill(VISIBLE, row * slots + before, row * slots + count);
  else values.fill(HIDDEN, row * slots + count, row * slots + before);
  seen[row] = count;
}
