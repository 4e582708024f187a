/**
 * One step of decoding: `width` new tokens for each row, after what the cache holds.
 *
 * The cache is an input (keys and values as [rows, heads, slots, headSize]); the graph returns only the new keys and
 * values, which the caller writes into the cache.
 */
import { input, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import { decoderStack, headOf, linear, parameterInputs, type Projected, type Reading } from "./layers.ts";
import type { Tall } from "./least-rows.ts";
import { windowOf, type ModelConfig } from "./model-config.ts";
import { rotaryInputs } from "./rotary.ts";
import { causalLimits, windowLimits } from "./transformer.ts";

export interface DecodeShape {
  readonly rows: number;
  /** New tokens per row; a row may use fewer and ignore the rest. */
  readonly width: number;
  readonly slots: number;
  /** The new tokens of a row are a tree, and every one of them is followed by a prediction. Default: they are a chain, and only the last is. */
  readonly tree?: boolean;
  /** Products that are computed over more tokens than there are here; see `leastRows`. Default: none. */
  readonly tall?: readonly Tall[];
  /** Whether the output "states" has the hidden state behind each prediction, [predictions, hidden]. Default: no. */
  readonly states?: boolean;
}

/**
 * Inputs besides the parameters: "ids" and "positions" int64 [rows, width]; the rotary tables for as many positions as
 * there are slots; "past", `VISIBLE` for a slot in use and `HIDDEN` for an empty one, [rows, 1, 1, slots]; "last" int64 [rows], the flat place
 * of each row's last token; with `tree` in its place "among" [rows, 1, width, width], `VISIBLE` where a new token sees another; "sharpness" [rows, 1], one over
 * the temperature; "keys.N" and "values.N" per layer, of `cacheType`. Outputs: "logprobs" and, after temperature, "probabilities", both [rows, vocabulary], or [rows * width, vocabulary] with `tree`; "newKeys.N", "newValues.N".
 */
export function decodeGraph(config: ModelConfig, shape: DecodeShape): Record<string, Tensor> {
  const multiply = (value: Tensor, weight: Tensor): Tensor => multiplied(value, weight, shape.tall ?? []);
  const parameters = parameterInputs(config, undefined, multiply);
  const fresh: Record<string, Tensor> = {};
  const hidden = decoderStack(config, parameters, decodeReading(config, shape, fresh));
  const predicting = shape.tree === true ? hidden : ops.gather(hidden, input("last", "int64", [shape.rows]));
  const states = shape.states === true ? { states: predicting } : {};
  return { ...predictionsOf(shape, multiply(predicting, headOf(config, parameters))), ...states, ...fresh };
}

/** x W^T, the tokens several times over where there are too few of them. */
function multiplied(value: Tensor, weight: Tensor, tall: readonly Tall[]): Tensor {
  const [columns, terms] = weight.shape as [number, number];
  const count = value.shape[0] as number;
  const { tokens } = tall.find((one) => one.columns === columns && one.terms === terms) ?? { tokens: 0 };
  if (count >= tokens) return linear(value, weight);
  const copies = Array.from({ length: Math.ceil(tokens / count) }, () => value);
  return ops.split(linear(ops.concat(copies, 0), weight), [count, (copies.length - 1) * count], 0)[0] as Tensor;
}

/** The type of the cache's numbers. */
export function cacheType({ halfCache }: ModelConfig): "float16" | "float32" {
  return halfCache === true ? "float16" : "float32";
}

/** Attention after what the cache holds; the new keys and values of every layer that attends are added to `fresh`. */
export function decodeReading(config: ModelConfig, shape: DecodeShape, fresh: Record<string, Tensor>): Reading {
  const { rows, width, slots } = shape;
  const { keyValueHeads, headSize } = config;
  const positions = input("positions", "int64", [rows, width]);
  const past = input("past", "float32", [rows, 1, 1, slots]);
  const near = nearPast(config, shape, positions, past);
  const among = shape.tree === true ? input("among", "float32", [rows, 1, width, width]) : undefined;
  // What is new is rounded before it is looked at, as it will lie in the cache: else numbers would depend on the width of steps.
  const stored = (value: Tensor): Tensor => (config.halfCache === true ? ops.cast(value, "float16") : value);
  const opened = (value: Tensor): Tensor => (config.halfCache === true ? ops.cast(value, "float32") : value);
  return {
    rows,
    width,
    rotary: { positions, tables: rotaryInputs(config, slots) },
    attend: (layer, projected) => {
      const made = (name: string, value: Tensor): Tensor => {
        const kept = stored(ops.transpose(value, [0, 2, 1, 3]));
        fresh[`${name}.${layer}`] = kept;
        return opened(kept);
      };
      const held = (name: string): Tensor =>
        opened(input(`${name}.${layer}`, cacheType(config), [rows, keyValueHeads, slots, headSize]));
      const [newKeys, newValues] = [made("newKeys", projected.key), made("newValues", projected.value)];
      const [keys, values] = [held("keys"), held("values")];
      const window = windowOf(config, layer);
      const seen = window === undefined ? past : near;
      return withCache(config, shape, projected, { keys, values, newKeys, newValues, past: seen, among, window });
    },
  };
}

/** Input "sharpness"; outputs "logprobs" and "probabilities". */
export function predictionsOf({ rows }: DecodeShape, logits: Tensor): Record<string, Tensor> {
  const sharp = sharpened(logits, input("sharpness", "float32", [rows, 1]));
  return { logprobs: ops.logSoftmax(logits, 1), probabilities: ops.softmax(sharp, 1) };
}

/** Each row's predictions by its own sharpness, however many it has. */
function sharpened(logits: Tensor, sharpness: Tensor): Tensor {
  const [rows, [count, words]] = [sharpness.shape[0] as number, logits.shape as [number, number]];
  if (count === rows) return ops.mul(logits, sharpness);
  const byRow = ops.mul(ops.reshape(logits, [rows, (count / rows) * words]), sharpness);
  return ops.reshape(byRow, [count, words]);
}

/**
 * The slots in use that layers with a window see, [rows, key heads, queries of each, slots] or [rows, 1, 1, slots]: each new token looks
 * back from its own position. Where every slot is within the window it is the plain past.
 */
function nearPast(config: ModelConfig, { rows, width, slots }: DecodeShape, positions: Tensor, past: Tensor): Tensor {
  const { window, heads, keyValueHeads } = config;
  if (window === undefined || slots <= window.size) return past;
  const places = ops.reshape(ops.cast(positions, "float32"), [rows, 1, width, 1]);
  const all = [rows, keyValueHeads, (heads / keyValueHeads) * width, 1];
  const queries = width === 1 ? places : ops.reshape(ops.expand(places, [rows, heads, width, 1]), all);
  return ops.min(windowLimits(queries, slots, window.size), past);
}

interface Cache {
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly newKeys: Tensor;
  readonly newValues: Tensor;
  readonly past: Tensor;
  readonly among: Tensor | undefined;
  readonly window: number | undefined;
}

/** Everything is [rows, key heads, ..., ...], as the cache is: new shapes would be nodes of their own, and a step has many small ones. */
function withCache(
  config: ModelConfig,
  { rows, width, slots }: DecodeShape,
  { query }: Projected,
  cache: Cache,
): Tensor {
  const { heads, keyValueHeads, headSize } = config;
  const shared = heads / keyValueHeads;
  const queries = ops.reshape(ops.transpose(query, [0, 2, 1, 3]), [rows, keyValueHeads, shared * width, headSize]);
  const turned = (value: Tensor): Tensor => ops.transpose(value, [0, 1, 3, 2]);
  // The mask of a row is the same for all its heads, and for all its new tokens where there is no window.
  const seen = ops.min(ops.matmul(queries, turned(cache.keys)), cache.past);
  const among = ops.matmul(queries, turned(cache.newKeys));
  const fresh =
    cache.among === undefined
      ? chained(among, shared, width, cache.window)
      : ops.reshape(ops.min(ops.reshape(among, [rows, heads, width, width]), cache.among), among.shape);
  // A hidden key weighs exactly nothing, so what lies in an empty slot is never felt and rows are equal bit for bit.
  const attention = ops.softmax(ops.concat([seen, fresh], 3), 3);
  const [old, added] = ops.split(attention, [slots, width], 3) as [Tensor, Tensor];
  const mixed = ops.add(ops.matmul(old, cache.values), ops.matmul(added, cache.newValues));
  const joined = ops.transpose(ops.reshape(mixed, [rows, heads, width, headSize]), [0, 2, 1, 3]);
  return ops.reshape(joined, [rows * width, heads * headSize]);
}

function chained(among: Tensor, shared: number, width: number, window: number | undefined): Tensor {
  return width === 1 ? among : ops.min(among, causalLimits(shared, width, 0, window));
}
