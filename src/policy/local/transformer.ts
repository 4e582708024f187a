/** The decoder over a flat batch: every row starts at position 0 and sees only what stands before. */
import { constant, input, integers, ops, type Tensor } from "../../graph/index.ts";
import { decoderStack, parameterInputs, type Parameters, type Projected } from "./layers.ts";
import type { ModelConfig } from "./model-config.ts";
import { rotaryTables } from "./rotary.ts";

export interface DecoderGraph {
  readonly parameters: Parameters;
  /** float32 [tokens, hidden], after the last norm */
  readonly hidden: Tensor;
}

/** Input besides the parameters: "ids" int64 [rows, length]. */
export function decoder(config: ModelConfig, rows: number, length: number): DecoderGraph {
  const parameters = parameterInputs(config);
  const ids = input("ids", "int64", [rows, length]);
  const positions = integers(
    Array.from({ length: rows * length }, (_, place) => place % length),
    [rows, length],
  );
  const rotary = { positions, ...rotaryTables(config, length) };
  const hidden = decoderStack(config, parameters, ids, rotary, (_, projected) =>
    causal(config, rows, length, projected),
  );
  return { parameters, hidden };
}

/**
 * Causal attention in blocks of queries: a block sees only the keys up to its own end, so that about half of the scores
 * of a long row are never computed. Short rows are one block. Returns [rows * length, heads * headSize].
 */
export function causal(config: ModelConfig, rows: number, length: number, { query, key, value }: Projected): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const batch = rows * keyValueHeads;
  const width = blockWidth(length);
  const keys = ops.reshape(ops.transpose(key, [0, 2, 3, 1]), [batch, headSize, length]);
  const values = ops.reshape(ops.transpose(value, [0, 2, 1, 3]), [batch, length, headSize]);
  const turned = ops.transpose(query, [0, 2, 1, 3]);
  const mixed = Array.from({ length: length / width }, (_, block) => {
    const [start, end] = [block * width, (block + 1) * width];
    // Query heads that share a key head are stacked as more rows of one product.
    const queries = ops.reshape(part(turned, 2, start, end), [batch, shared * width, headSize]);
    const seen = {
      scores: ops.matmul(queries, part(keys, 2, 0, end)),
      limits: causalLimits(shared, width, start),
      values: part(values, 1, 0, end),
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

/** `HIDDEN` where a query would look ahead. `before` keys are seen by all. */
export function causalLimits(shared: number, width: number, before = 0): Tensor {
  const size = before + width;
  const values = new Float32Array(shared * width * size).fill(VISIBLE);
  for (let row = 0; row < shared * width; row += 1) {
    values.fill(HIDDEN, row * size + before + (row % width) + 1, (row + 1) * size);
  }
  return constant(values, [1, shared * width, size]);
}
