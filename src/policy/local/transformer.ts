/** The decoder over a flat batch: every row starts at position 0 and sees only what stands before. */
import { constant, input, ops, scalar, type Tensor } from "../../graph/index.ts";
import { decoderStack, logitsOf, parameterInputs, type Parameters, type Projected } from "./layers.ts";
import type { ModelConfig } from "./model-config.ts";
import { rotaryValues } from "./rotary.ts";

export interface DecoderGraph {
  readonly parameters: Parameters;
  /** int64 [rows, length] */
  readonly ids: Tensor;
  /** float32 [rows * length, hidden], after the last norm */
  readonly hidden: Tensor;
  /** float32 [rows * length, vocabulary] */
  readonly logits: Tensor;
}

export function decoder(config: ModelConfig, rows: number, length: number): DecoderGraph {
  const parameters = parameterInputs(config);
  const ids = input("ids", "int64", [rows, length]);
  const { cosine, sine } = rotaryValues(
    config,
    Array.from({ length }, (_, position) => position),
  );
  const shape = [1, length, 1, config.headSize];
  const rotary = { cosine: constant(cosine, shape), sine: constant(sine, shape) };
  const hidden = decoderStack(config, parameters, ids, rotary, (_, projected) =>
    causal(config, rows, length, projected),
  );
  return { parameters, ids, hidden, logits: logitsOf(config, parameters, hidden) };
}

function causal(config: ModelConfig, rows: number, length: number, { query, key, value }: Projected): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  // Query heads that share a key head are stacked as more rows of one product.
  const queries = ops.reshape(ops.transpose(query, [0, 2, 1, 3]), [rows * keyValueHeads, shared * length, headSize]);
  const keys = ops.reshape(ops.transpose(key, [0, 2, 3, 1]), [rows * keyValueHeads, headSize, length]);
  const values = ops.reshape(ops.transpose(value, [0, 2, 1, 3]), [rows * keyValueHeads, length, headSize]);
  const scores = ops.add(ops.mul(ops.matmul(queries, keys), scalar(headSize ** -0.5)), causalMask(shared, length));
  const mixed = ops.matmul(ops.softmax(scores, 2), values);
  const joined = ops.transpose(ops.reshape(mixed, [rows, heads, length, headSize]), [0, 2, 1, 3]);
  return ops.reshape(joined, [rows * length, heads * headSize]);
}

/** Minus a billion above the diagonal: after softmax exactly zero. */
export function causalMask(shared: number, length: number): Tensor {
  const values = new Float32Array(shared * length * length);
  for (let row = 0; row < shared * length; row += 1) {
    values.fill(-1e9, row * length + (row % length) + 1, (row + 1) * length);
  }
  return constant(values, [1, shared * length, length]);
}
