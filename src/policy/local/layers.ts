/** The parts of a decoder that do not depend on how attention finds its keys. */
import { input, ops, scalar, type Tensor } from "../../graph/index.ts";
import { loraNames, loraShapes } from "./lora.ts";
import { parameterShapes, type ModelConfig } from "./model-config.ts";
import { rotate, rotateQuery, type Rotary } from "./rotary.ts";

export interface Parameters {
  readonly all: ReadonlyMap<string, Tensor>;
  /** Those that learn: all, or the adapter's alone. */
  readonly trained: ReadonlyMap<string, Tensor>;
  readonly get: (name: string) => Tensor;
  /** The matrix of that name applied to a value, with what an adapter adds to it. */
  readonly apply: (value: Tensor, name: string) => Tensor;
}

/** Every parameter as an input of the graph, under its Hugging Face name. */
export function parameterInputs(config: ModelConfig): Parameters {
  const inputs = (shapes: ReadonlyMap<string, readonly number[]>): Map<string, Tensor> =>
    new Map([...shapes].map(([name, shape]) => [name, input(name, "float32", shape)]));
  const own = inputs(parameterShapes(config));
  const { lora } = config;
  const added = lora === undefined ? new Map<string, Tensor>() : inputs(loraShapes(config, lora));
  const get = (name: string): Tensor => (own.get(name) ?? added.get(name)) as Tensor;
  return {
    all: new Map([...own, ...added]),
    trained: lora === undefined ? own : added,
    get,
    apply: (value, name) => {
      const plain = linear(value, get(name));
      const [down, up] = loraNames(name);
      if (lora === undefined || !added.has(down)) return plain;
      // Scaled while it is narrow: rank numbers per token instead of the whole width.
      const narrow = ops.mul(linear(value, get(down)), scalar(lora.alpha / lora.rank));
      return ops.add(plain, linear(narrow, get(up)));
    },
  };
}

/** x W^T: weights are stored [out, in]. */
export function linear(value: Tensor, weight: Tensor): Tensor {
  return ops.gemm(value, weight, { transRight: true });
}

/** Queries, keys and values of one layer, each [rows, width, heads, headSize], normed and rotated; queries are scaled. */
export interface Projected {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
}

/** Attention of one layer: what it is given is projected; what it returns is [rows * width, heads * headSize]. */
export type Attend = (layer: number, projected: Projected) => Tensor;

/** The residual stream through all layers and the last norm, [rows * width, hidden]. */
export function decoderStack(
  config: ModelConfig,
  parameters: Parameters,
  ids: Tensor,
  rotary: Rotary,
  attend: Attend,
): Tensor {
  const [rows, width] = ids.shape as [number, number];
  const { normEpsilon, hiddenSize } = config;
  let stream = ops.reshape(ops.gather(parameters.get("model.embed_tokens.weight"), ids), [rows * width, hiddenSize]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const weight = (name: string): Tensor => parameters.get(`model.layers.${layer}.${name}.weight`);
    const apply = (value: Tensor, name: string): Tensor =>
      parameters.apply(value, `model.layers.${layer}.${name}.weight`);
    const normal = ops.rmsNorm(stream, weight("input_layernorm"), normEpsilon);
    const mixed = attend(layer, project(config, [rows, width], normal, { weight, apply }, rotary));
    stream = ops.add(stream, apply(mixed, "self_attn.o_proj"));
    const second = ops.rmsNorm(stream, weight("post_attention_layernorm"), normEpsilon);
    const opened = ops.gatedSilu(apply(second, "mlp.gate_proj"), apply(second, "mlp.up_proj"));
    stream = ops.add(stream, apply(opened, "mlp.down_proj"));
  }
  return ops.rmsNorm(stream, parameters.get("model.norm.weight"), normEpsilon);
}

/** Logits over the vocabulary for rows of the hidden state. */
export function logitsOf(config: ModelConfig, parameters: Parameters, hidden: Tensor): Tensor {
  return linear(hidden, headOf(config, parameters));
}

/** What makes logits of the hidden state. */
export function headOf(config: ModelConfig, parameters: Parameters): Tensor {
  return parameters.get(config.tiedEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight");
}

function project(
  config: ModelConfig,
  [rows, width]: readonly [number, number],
  normal: Tensor,
  layer: {
    readonly weight: (name: string) => Tensor;
    readonly apply: (value: Tensor, name: string) => Tensor;
  },
  rotary: Rotary,
): Projected {
  const { heads, keyValueHeads, headSize, normEpsilon } = config;
  const part = (name: string, count: number): Tensor =>
    ops.reshape(layer.apply(normal, `self_attn.${name}`), [rows, width, count, headSize]);
  const normed = (name: string, value: Tensor): Tensor =>
    config.form === "qwen3" ? ops.rmsNorm(value, layer.weight(`self_attn.${name}`), normEpsilon) : value;
  return {
    query: rotateQuery(normed("q_norm", part("q_proj", heads)), rotary),
    key: rotate(normed("k_norm", part("k_proj", keyValueHeads)), rotary),
    value: part("v_proj", keyValueHeads),
  };
}
