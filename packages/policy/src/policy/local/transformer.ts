/** The decoder over a flat batch: every row starts at position 0 and sees only what stands before. */
import { constant, integers, scalar, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import type { Projected, Reading } from "./layers.ts";
import { windowOf, type ModelConfig } from "./model-config.ts";
import { rotaryTables } from "./rotary.ts";

/** Rows of one length, without inputs of its own. */
export function flatReading(config: ModelConfig, rows: number, length: number): Reading {
  const positions = integers(
    Array.from({ length: rows * length }, (_, place) => place % length),
    [rows, length],
  );
  return {
    rows,
    width: length,
    rotary: { positions, tables: rotaryTables(config, length) },
    attend: (layer, projected) => causal(config, rows, length, projected, windowOf(config, layer)),
  };
}

/**
 * Causal attention in blocks of queries: a block sees only the keys up to its own end, so that about half of the scores
 * of a long row are never computed, and none before the window of its first query, where there is one. Short rows are one
 * block. Returns [rows * length, heads * headSize].
 */
export function causal(
  config: ModelConfig,
  rows: number,
  length: number,
  { query, key, value }: Projected,
  window: number | undefined,
): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const batch = rows * keyValueHeads;
  const width = blockWidth(length);
  const keys = ops.reshape(ops.transpose(key, [0, 2, 3, 1]), [batch, headSize, length]);
  const values = ops.reshape(ops.transpose(value, [0, 2, 1, 3]), [batch, length, headSize]);
  const turned = ops.transpose(query, [0, 2, 1, 3]);
  const mixed = Array.from({ length: length / width }, (_, block) => {
    const [start, end] = [block * width, (block + 1) * width];
    const first = window === undefined ? 0 : Math.max(0, start - window + 1);
    // Query heads that share a key head are stacked as more rows of one product.
    const queries = ops.reshape(part(turned, 2, start, end), [batch, shared * width, headSize]);
    const seen = {
      scores: ops.matmul(queries, part(keys, 2, first, end)),
      limits: causalLimits(shared, width, start - first, window),
      values: part(values, 1, first, end),
    };
    return ops.reshape(ops.attend(seen), [rows, heads, width, headSize]);
  });
  const joined = mixed.length === 1 ? (mixed[0] as Tensor) : ops.concat(mixed, 2);
  return ops.reshape(ops.transpose(joined, [0, 2, 1, 3]), [rows * length, heads * headSize]);
}

function part(value: Tensor, axis: number, start: number, end: number): Tensor {
  return start === 0 && end === value.shape[axis] ? value : ops.slice(value, axis, start, end);
}

/** Blocks of at least 128 queries that divide the length, at most eight of them. */
function blockWidth(length: number): number {
  const count = [8, 7, 6, 5, 4, 3, 2].find((blocks) => length % blocks === 0 && length / blocks >= 128);
  return length / (count ?? 1);
}

/**
 * The score of a key that must not be seen is lowered to this: after softmax its weight is exactly zero, whatever the
 * visible scores are. (Sessions treat denormal numbers as zero; without that, softmax took four times as long here.)
 */
export const HIDDEN = -1e9;

/** The limit of a score that may be as high as it likes. */
export const VISIBLE = 1e30;

/** `HIDDEN` where a query would look ahead, or back beyond its window. `before` keys stand before the first query. */
export function causalLimits(shared: number, width: number, before = 0, window?: number): Tensor {
  const size = before + width;
  const values = new Float32Array(shared * width * size).fill(VISIBLE);
  for (let row = 0; row < shared * width; row += 1) {
    const own = before + (row % width);
    values.fill(HIDDEN, row * size + own + 1, (row + 1) * size);
    if (window !== undefined && own >= window) values.fill(HIDDEN, row * size, row * size + own - window + 1);
  }
  return constant(values, [1, shared * width, size]);
}

/**
 * `HIDDEN` where a key stands before the window of a query: queries have the positions given, float32 [..., 1], and the
 * keys those from 0 on.
 */
export function windowLimits(positions: Tensor, keys: number, window: number): Tensor {
  const places = constant(
    Float32Array.from({ length: keys }, (_, at) => at + window),
    [...positions.shape.slice(0, -1).map(() => 1), keys],
  );
  return ops.where(ops.greater(places, positions), scalar(VISIBLE), scalar(HIDDEN));
}
