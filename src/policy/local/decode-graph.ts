/**
 * One step of decoding: `width` new tokens for each row, after what the cache holds.
 *
 * The cache is an input (keys and values as [rows, heads, headSize, slots], and where a row says one token the last few as
 * [rows, heads, RECENT, headSize], as they come); the graph returns only the new keys and
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

/** Positions that lie apart while rows say one token at a time; see `recent.ts`. */
export const RECENT = 16;

/**
 * Inputs besides the parameters: "ids" and "positions" int64 [rows, width]; "cosine", "sine", "queryCosine" and "querySine",
 * the tables over all positions; "past", `VISIBLE` for a slot in use and `HIDDEN` for an empty one, [rows, 1, slots]; "last" int64 [rows], the flat place
 * of each row's last token; "sharpness" [rows, 1], one over the temperature; "keys.N" and "values.N" per layer; with a width of 1 also "recentKeys.N", "recentValues.N" and "recent", which is to them and the new token what "past" is to the slots, [rows, 1, RECENT + 1]. Outputs: "logprobs" and, after temperature, "probabilities", both [rows, vocabulary]; "newKeys.N", "newValues.N".
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
    const cached = (name: string): Tensor =>
      input(`${name}.${layer}`, "float32", [rows, keyValueHeads, headSize, slots]);
    const old = { keys: cached("keys"), values: cached("values"), past };
    const order = width === 1 ? [0, 2, 1, 3] : [0, 2, 3, 1];
    const newKeys = ops.transpose(projected.key, order);
    const newValues = ops.transpose(projected.value, order);
    outputs[`newKeys.${layer}`] = newKeys;
    outputs[`newValues.${layer}`] = newValues;
    if (width > 1) {
      const limits = causalLimits(config.heads / keyValueHeads, width);
      return withCache(config, shape, projected, old, { keys: newKeys, values: newValues, limits });
    }
    const recent = (name: string, fresh: Tensor): Tensor => {
      const before = input(`${name}.${layer}`, "float32", [rows, keyValueHeads, RECENT, headSize]);
      return ops.transpose(ops.concat([before, fresh], 2), [0, 1, 3, 2]);
    };
    return withCache(config, shape, projected, old, {
      keys: recent("recentKeys", newKeys),
      values: recent("recentValues", newValues),
      limits: input("recent", "float32", [rows, 1, RECENT + 1]),
    });
  });
  const last = ops.gather(hidden, input("last", "int64", [rows]));
  const logits = logitsOf(config, parameters, last);
  const sharp = ops.mul(logits, input("sharpness", "float32", [rows, 1]));
  return { logprobs: ops.logSoftmax(logits, 1), probabilities: ops.softmax(sharp, 1), ...outputs };
}

/** Keys and values as [rows, heads, headSize, positions]. */
interface Old {
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly past: Tensor;
}

interface Fresh {
  readonly keys: Tensor;
  readonly values: Tensor;
  /** With a width of 1 for each row, otherwise the same for all. */
  readonly limits: Tensor;
}

function withCache(
  config: ModelConfig,
  { rows, width, slots }: DecodeShape,
  { query }: Projected,
  old: Old,
  fresh: Fresh,
): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const batch = rows * keyValueHeads;
  // Query heads that share a key head are stacked as more rows of one product, but not while a row says one token: a
  // product of one row reads its matrix as it lies, one of two packs it first, which takes longer than reading it twice.
  const [groups, stacked] = width === 1 ? [heads / keyValueHeads, 1] : [1, (heads / keyValueHeads) * width];
  const matrix = (value: Tensor): Tensor => ops.reshape(value, [batch, 1, ...value.shape.slice(2)]);
  const turned = (value: Tensor): Tensor => ops.transpose(matrix(value), [0, 1, 3, 2]);
  const queries = ops.reshape(ops.transpose(query, [0, 2, 1, 3]), [batch, groups, stacked, headSize]);
  // The mask of a row is the same for all its heads and new tokens.
  const masked = (scores: Tensor, limits: Tensor): Tensor => {
    const flat = ops.reshape(scores, [rows, heads * width, limits.shape[2] as number]);
    return ops.reshape(ops.min(flat, limits), scores.shape);
  };
  const seen = masked(ops.matmul(queries, matrix(old.keys)), old.past);
  const among = ops.matmul(queries, matrix(fresh.keys));
  const own = width === 1 ? masked(among, fresh.limits) : ops.min(among, fresh.limits);
  // A hidden key weighs exactly nothing, so what lies in an empty slot is never felt and rows are equal bit for bit.
  const attention = ops.softmax(ops.concat([seen, own], 3), 3);
  const [before, after] = ops.split(attention, [slots, own.shape[3] as number], 3) as [Tensor, Tensor];
  const mixed = ops.add(ops.matmul(before, turned(old.values)), ops.matmul(after, turned(fresh.values)));
  const joined = ops.transpose(ops.reshape(mixed, [rows, heads, width, headSize]), [0, 2, 1, 3]);
  return ops.reshape(joined, [rows * width, heads * headSize]);
}
