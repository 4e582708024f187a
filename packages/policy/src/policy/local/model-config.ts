/** The sizes of a decoder, and the parameters that follow from them. What its family does differently is `forms.ts`. */
import { FORMS, type Form, type FormName, type MatrixName, type RopeScaling } from "./forms.ts";

export interface ModelConfig {
  readonly form: FormName;
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly intermediateSize: number;
  readonly contextLength: number;
  readonly ropeTheta: number;
  readonly normEpsilon: number;
  readonly tiedEmbeddings: boolean;
  /** How rotary positions are stretched. Default: not at all. */
  readonly ropeScaling?: RopeScaling;
  /** Layers that see only the last `size` tokens, their own included. Default: every layer sees everything. */
  readonly window?: { readonly size: number; readonly layers: readonly number[] };
  /** Rotary base of the layers with a window; they are not stretched. Default: as the other layers. */
  readonly localRopeTheta?: number;
  /** Scores of attention are divided by the root of this. Default: the head size. */
  readonly queryScalar?: number;
  /** Matrices with a bias besides those of the form. */
  readonly biases?: readonly MatrixName[];
  /** Low-rank changes that learn in the model's place, where it is adapted. */
  readonly lora?: LoraShape;
  /** Whether the matrices are frozen and kept in few bits. */
  readonly quantised?: boolean;
  /** Whether keys and values of what was read are kept as float16. */
  readonly halfCache?: boolean;
}

/** W becomes W + (alpha / rank) B A for the matrices named here, in every layer; A is [rank, in], B is [out, rank]. */
export interface LoraShape {
  readonly rank: number;
  readonly alpha: number;
  readonly targets: readonly LoraTarget[];
}

export type LoraTarget = MatrixName;

export function formOf({ form }: ModelConfig): Form {
  return FORMS[form];
}

export const EMBEDDINGS = "model.embed_tokens.weight";

/** The parameter that makes logits of a hidden state. */
export function headName({ tiedEmbeddings }: ModelConfig): string {
  return tiedEmbeddings ? EMBEDDINGS : "lm_head.weight";
}

/** How many tokens a layer sees, its own included; undefined where it sees all that stands before. */
export function windowOf({ window }: ModelConfig, layer: number): number | undefined {
  return window?.layers.includes(layer) === true ? window.size : undefined;
}

/** Matrices of every layer with their shapes, [out, in], in the order in which they are applied. */
export function matrixShapes(config: ModelConfig): Map<MatrixName, readonly [number, number]> {
  const { hiddenSize, headSize, heads, keyValueHeads, intermediateSize } = config;
  const [queries, keys] = [heads * headSize, keyValueHeads * headSize];
  const { fused } = formOf(config);
  return new Map<MatrixName, readonly [number, number]>([
    ...(fused
      ? ([["qkv_proj", [queries + 2 * keys, hiddenSize]]] as const)
      : ([
          ["q_proj", [queries, hiddenSize]],
          ["k_proj", [keys, hiddenSize]],
          ["v_proj", [keys, hiddenSize]],
        ] as const)),
    ["o_proj", [hiddenSize, queries]],
    ...(fused
      ? ([["gate_up_proj", [2 * intermediateSize, hiddenSize]]] as const)
      : ([
          ["gate_proj", [intermediateSize, hiddenSize]],
          ["up_proj", [intermediateSize, hiddenSize]],
        ] as const)),
    ["down_proj", [hiddenSize, intermediateSize]],
  ]);
}

/** Every parameter with its shape, under the names that Hugging Face folders use. Weights are [out, in]. */
export function parameterShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize, headSize, vocabularySize } = config;
  const { norms, headNorms, biases } = formOf(config);
  const matrices = [...matrixShapes(config)];
  const biased = new Set<MatrixName>([...biases, ...(config.biases ?? [])]);
  const shapes = new Map<string, readonly number[]>([["model.embed_tokens.weight", [vocabularySize, hiddenSize]]]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const at = `model.layers.${layer}`;
    const norm = (name: string | undefined, size = hiddenSize): void => {
      if (name !== undefined) shapes.set(`${at}.${name}.weight`, [size]);
    };
    const add = (part: "self_attn" | "mlp"): void => {
      for (const [name, shape] of matrices) {
        if (partOf(name) !== part) continue;
        shapes.set(`${at}.${part}.${name}.weight`, shape);
        if (biased.has(name)) shapes.set(`${at}.${part}.${name}.bias`, [shape[0]]);
      }
    };
    norm(norms.beforeAttention);
    add("self_attn");
    if (headNorms) for (const name of ["q_norm", "k_norm"]) norm(`self_attn.${name}`, headSize);
    norm(norms.afterAttention);
    norm(norms.beforeFeedForward);
    add("mlp");
    norm(norms.afterFeedForward);
  }
  shapes.set("model.norm.weight", [hiddenSize]);
  if (!config.tiedEmbeddings) shapes.set("lm_head.weight", [vocabularySize, hiddenSize]);
  return shapes;
}

export function parameterCount(config: ModelConfig): number {
  return [...parameterShapes(config).values()].reduce(
    (sum, shape) => sum + shape.reduce((product, side) => product * side, 1),
    0,
  );
}

/** The part of a layer that a matrix belongs to. */
export function partOf(name: MatrixName): "self_attn" | "mlp" {
  return name === "gate_proj" || name === "up_proj" || name === "gate_up_proj" || name === "down_proj"
    ? "mlp"
    : "self_attn";
}
