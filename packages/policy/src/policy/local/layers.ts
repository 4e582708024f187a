/** The parts of a decoder that do not depend on how attention finds its keys. */
import { input, scalar, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import { loraNames, loraShapes } from "./lora.ts";
import type { Form, MatrixName } from "./forms.ts";
import { headName, formOf, parameterShapes, partOf, type ModelConfig } from "./model-config.ts";
import { rotate, rotateQuery, type Rotary } from "./rotary.ts";

export interface Parameters {
  readonly all: ReadonlyMap<string, Tensor>;
  /** Those that learn: all, or the adapter's alone. */
  readonly trained: ReadonlyMap<string, Tensor>;
  readonly get: (name: string) => Tensor;
  /** The matrix of that name applied to a value, with its bias and with what an adapter adds to it. */
  readonly apply: (value: Tensor, name: string) => Tensor;
}

/**
 * Every parameter as an input of the graph, under its Hugging Face name. `product` is how a value is multiplied by a frozen
 * matrix that is no input, where there is one of that name; `multiply` how it is by all others.
 */
export function parameterInputs(
  config: ModelConfig,
  product: (value: Tensor, name: string) => Tensor | undefined = () => undefined,
  multiply: (value: Tensor, weight: Tensor) => Tensor = linear,
): Parameters {
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
      const bias = own.get(name.replace(/weight$/, "bias"));
      const multiplied = product(value, name) ?? multiply(value, get(name));
      const plain = bias === undefined ? multiplied : ops.add(multiplied, bias);
      const [down, up] = loraNames(name);
      if (lora === undefined || !added.has(down)) return plain;
      // Scaled while it is narrow: rank numbers per token instead of the whole width.
      const narrow = ops.mul(multiply(value, get(down)), scalar(lora.alpha / lora.rank));
      return ops.add(plain, multiply(narrow, get(up)));
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

/** How the tokens of a graph lie, and how they see each other. */
export interface Reading {
  readonly rows: number;
  readonly width: number;
  readonly rotary: Rotary;
  readonly attend: Attend;
}

/** The residual stream through all layers and the last norm, [rows * width, hidden]. */
export function decoderStack(config: ModelConfig, parameters: Parameters, reading: Reading): Tensor {
  const { rows, width } = reading;
  const embedded = ops.gather(parameters.get("model.embed_tokens.weight"), input("ids", "int64", [rows, width]));
  const entering = formOf(config).scaledEmbeddings ? ops.mul(embedded, scalar(Math.sqrt(config.hiddenSize))) : embedded;
  let stream = ops.reshape(entering, [rows * width, config.hiddenSize]);
  for (let at = 0; at < config.layers; at += 1) {
    const layer = layerOf(config, parameters, at);
    const mixed = mixedBy(config, reading, at, layer, flatProjections(config, layer, stream));
    stream = leaveAttention(config, layer, stream, mixed);
  }
  return lastNorm(config, parameters, stream);
}

export function lastNorm(config: ModelConfig, parameters: Parameters, stream: Tensor): Tensor {
  return norm(config, stream, parameters.get("model.norm.weight"));
}

/** What attention makes of a layer's projections, as `flatProjections` has them. */
export function mixedBy(
  config: ModelConfig,
  { rows, width, rotary, attend }: Reading,
  at: number,
  layer: Layer,
  flat: readonly Tensor[],
): Tensor {
  return attend(at, turned(config, [rows, width], at, flat, layer, rotary));
}

/** The stream after a layer, from the stream before it and what its attention made. */
export function leaveAttention(config: ModelConfig, layer: Layer, before: Tensor, mixed: Tensor): Tensor {
  const { norms, activation } = formOf(config);
  const stream = ops.add(before, layer.norm(layer.apply(mixed, "o_proj"), norms.afterAttention));
  const second = layer.norm(stream, norms.beforeFeedForward);
  const opened = GATED[activation](...gateAndUp(config, second, layer));
  return ops.add(stream, layer.norm(layer.apply(opened, "down_proj"), norms.afterFeedForward));
}

/** The parameters of one layer at work. */
export interface Layer {
  readonly apply: (value: Tensor, matrix: MatrixName) => Tensor;
  /** A norm that the form does not have leaves the value as it is. */
  readonly norm: (value: Tensor, name: string | undefined) => Tensor;
}

export function layerOf(config: ModelConfig, parameters: Parameters, at: number): Layer {
  const place = `model.layers.${at}`;
  return {
    apply: (value, matrix) => parameters.apply(value, `${place}.${partOf(matrix)}.${matrix}.weight`),
    norm: (value, name) =>
      name === undefined ? value : norm(config, value, parameters.get(`${place}.${name}.weight`)),
  };
}

function norm(config: ModelConfig, value: Tensor, weight: Tensor): Tensor {
  const { normOffset } = formOf(config);
  return ops.rmsNorm(value, normOffset === 0 ? weight : ops.add(weight, scalar(normOffset)), config.normEpsilon);
}

/** act(gate) times up. */
const GATED: Readonly<Record<Form["activation"], (gate: Tensor, up: Tensor) => Tensor>> = {
  silu: (gate, up) => ops.gatedSilu(gate, up),
  // gelu(x) by tanh is 0.5 x (1 + tanh z), z = sqrt(2 / pi) (x + 0.044715 x^3), and 0.5 (1 + tanh z) = sigmoid(2 z).
  "gelu-tanh": (gate, up) => {
    const cubic = ops.add(ops.mul(ops.mul(gate, gate), scalar(0.044_715)), scalar(1));
    const share = ops.sigmoid(ops.mul(ops.mul(gate, cubic), scalar(2 * Math.sqrt(2 / Math.PI))));
    return ops.mul(ops.mul(gate, share), up);
  },
};

function gateAndUp(config: ModelConfig, value: Tensor, { apply }: Layer): [Tensor, Tensor] {
  if (!formOf(config).fused) return [apply(value, "gate_proj"), apply(value, "up_proj")];
  const { intermediateSize } = config;
  return ops.split(apply(value, "gate_up_proj"), [intermediateSize, intermediateSize], 1) as [Tensor, Tensor];
}

/** Logits over the vocabulary for rows of the hidden state. */
export function logitsOf(config: ModelConfig, parameters: Parameters, hidden: Tensor): Tensor {
  return linear(hidden, headOf(config, parameters));
}

/** What makes logits of the hidden state. */
export function headOf(config: ModelConfig, parameters: Parameters): Tensor {
  return parameters.get(headName(config));
}

/** Queries, keys and values of one layer, each [rows * width, its heads * headSize], before norms and rotation. */
export function flatProjections(config: ModelConfig, layer: Layer, stream: Tensor): readonly Tensor[] {
  const { fused, norms } = formOf(config);
  const normal = layer.norm(stream, norms.beforeAttention);
  if (!fused) return (["q_proj", "k_proj", "v_proj"] as const).map((name) => layer.apply(normal, name));
  return ops.split(layer.apply(normal, "qkv_proj"), projectionSizes(config), 1);
}

/** How wide queries, keys and values are. */
export function projectionSizes({ heads, keyValueHeads, headSize }: ModelConfig): number[] {
  return [heads, keyValueHeads, keyValueHeads].map((count) => count * headSize);
}

function turned(
  config: ModelConfig,
  [rows, width]: readonly [number, number],
  at: number,
  flat: readonly Tensor[],
  layer: Layer,
  rotary: Rotary,
): Projected {
  const { headNorms } = formOf(config);
  const apart = (part: number): number[] => [
    rows,
    width,
    (projectionSizes(config)[part] as number) / config.headSize,
    config.headSize,
  ];
  const normed = (part: number, name: string): Tensor => {
    const [, , heads, size] = apart(part) as [number, number, number, number];
    // One token's heads as attention wants them: the rotation takes them so, and there is no new shape in between.
    const shaped = ops.reshape(flat[part] as Tensor, width === 1 ? [rows, heads, 1, size] : apart(part));
    return ops.reshape(layer.norm(shaped, headNorms ? `self_attn.${name}` : undefined), apart(part));
  };
  return {
    query: rotateQuery(config, at, normed(0, "q_norm"), rotary),
    key: rotate(config, at, normed(1, "k_norm"), rotary),
    value: ops.reshape(flat[2] as Tensor, apart(2)),
  };
}
