/**
 * One step of decoding: `width` new tokens for each row, after what the cache holds.
 *
 * The cache is an input (keys and values as [rows, heads, slots, headSize]); the graph returns only the new keys and
 * values, which the caller writes into the cache.
 */
import { input, ops, type Tensor } from "../../graph/index.ts";
import { decoderStack, logitsOf, parameterInputs, type Projected } from "./layers.ts";
import type { ModelConfig } from "./model-config.ts";
import { causalLimits } from "./transformer.ts";

export interface DecodeShape {
  readonly rows: number;
  /** New tokens per row; a row may use fewer and ignore the rest. */
  readonly width: number;
  readonly slots: number;
}

/**
 * Inputs besides the parameters: "ids" and "positions" int64 [rows, width]; "cosine", "sine", "queryCosine" and "querySine",
 * the tables over all positions; "past", `VISIBLE` for a slot in use and `HIDDEN` for an empty one, [rows, 1, slots]; "last" int64 [rows], the flat place
 * of each row's last token; "sharpness" [rows, 1], one over the temperature; "keys.N" and "values.N" per layer. Outputs: "logprobs" and, after temperature, "probabilities", both [rows, vocabulary]; "newKeys.N", "newValues.N".
 */
export function decodeGraph(config: ModelConfig, shape: DecodeShape): Record<string, Tensor> {
  const { rows, width, slots } = shape;
  const { keyValueHeads, headSize } = config;
  const parameters = parameterInputs(config);
  const ids = input("ids", "int64", [rows, width]);
  const table = (name: string): Tensor => input(name, "float32", [config.contextLength, headSize / 2]);
  const rotary = {
    positions: input("positions", "int64", [rows, width]),
    cosine: table("cosine"),
    sine: table("sine"),
    queryCosine: table("queryCosine"),
    querySine: table("querySine"),
  };
  const past = input("past", "float32", [rows, 1, slots]);
  const outputs: Record<string, Tensor> = {};
  const hidden = decoderStack(config, parameters, ids, rotary, (layer, projected) => {
    const newKeys = ops.transpose(projected.key, [0, 2, 1, 3]);
    const newValues = ops.transpose(projected.value, [0, 2, 1, 3]);
    outputs[`newKeys.${layer}`] = newKeys;
    outputs[`newValues.${layer}`] = newValues;
    const keys = input(`keys.${layer}`, "float32", [rows, keyValueHeads, slots, headSize]);
    const values = input(`values.${layer}`, "float32", [rows, keyValueHeads, slots, headSize]);
    return withCache(config, shape, projected, { keys, values, newKeys, newValues, past });
  });
  const last = ops.gather(hidden, input("last", "int64", [rows]));
  const logits = logitsOf(config, parameters, last);
  const sharp = ops.mul(logits, input("sharpness", "float32", [rows, 1]));
  return { logprobs: ops.logSoftmax(logits, 1), probabilities: ops.softmax(sharp, 1), ...outputs };
}

interface Cache {
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly newKeys: Tensor;
  readonly newValues: Tensor;
  readonly past: Tensor;
}

function withCache(
  config: ModelConfig,
  { rows, width, slots }: DecodeShape,
  { query }: Projected,
  cache: Cache,
): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const batch = rows * keyValueHeads;
  const flat = (value: Tensor): Tensor => ops.reshape(value, [batch, ...value.shape.slice(2)]);
  const queries = ops.reshape(ops.transpose(query, [0, 2, 1, 3]), [batch, shared * width, headSize]);
  const turned = (value: Tensor): Tensor => ops.transpose(flat(value), [0, 2, 1]);
  // The mask of a row is the same for all its heads and new tokens.
  const before = ops.reshape(ops.matmul(queries, turned(cache.keys)), [rows, heads * width, slots]);
  const seen = ops.reshape(ops.min(before, cache.past), [batch, shared * width, slots]);
  const among = ops.matmul(queries, turned(cache.newKeys));
  const fresh = width === 1 ? among : ops.min(among, causalLimits(shared, width));
  // A hidden key weighs exactly nothing, so what lies in an empty slot is never felt and rows are equal bit for bit.
  const attention = ops.softmax(ops.concat([seen, fresh], 2), 2);
  const [old, added] = ops.split(attention, [slots, width], 2) as [Tensor, Tensor];
  const mixed = ops.add(ops.matmul(old, flat(cache.values)), ops.matmul(added, flat(cache.newValues)));
  const joined = ops.transpose(ops.reshape(mixed, [rows, heads, width, headSize]), [0, 2, 1, 3]);
  return ops.reshape(joined, [rows * width, heads * headSize]);
}
