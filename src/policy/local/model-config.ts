/** The shape of a decoder in the Qwen3 form, or in the Llama form, which is the same without query/key norm. */

export interface ModelConfig {
  readonly form: "llama" | "qwen3";
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
  /** Low-rank changes that learn in the model's place, where it is adapted. */
  readonly lora?: LoraShape;
}

/** W becomes W + (alpha / rank) B A for the matrices named here, in every layer; A is [rank, in], B is [out, rank]. */
export interface LoraShape {
  readonly rank: number;
  readonly alpha: number;
  readonly targets: readonly LoraTarget[];
}

export type LoraTarget = "q_proj" | "k_proj" | "v_proj" | "o_proj" | "gate_proj" | "up_proj" | "down_proj";

/** Every parameter with its shape, under the names that Hugging Face folders use. Weights are [out, in]. */
export function parameterShapes(config: ModelConfig): Map<string, readonly number[]> {
  const { hiddenSize, headSize, heads, keyValueHeads, intermediateSize, vocabularySize } = config;
  const shapes = new Map<string, readonly number[]>([["model.embed_tokens.weight", [vocabularySize, hiddenSize]]]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const at = `model.layers.${layer}`;
    shapes.set(`${at}.input_layernorm.weight`, [hiddenSize]);
    shapes.set(`${at}.self_attn.q_proj.weight`, [heads * headSize, hiddenSize]);
    shapes.set(`${at}.self_attn.k_proj.weight`, [keyValueHeads * headSize, hiddenSize]);
    shapes.set(`${at}.self_attn.v_proj.weight`, [keyValueHeads * headSize, hiddenSize]);
    shapes.set(`${at}.self_attn.o_proj.weight`, [hiddenSize, heads * headSize]);
    if (config.form === "qwen3") {
      shapes.set(`${at}.self_attn.q_norm.weight`, [headSize]);
      shapes.set(`${at}.self_attn.k_norm.weight`, [headSize]);
    }
    shapes.set(`${at}.post_attention_layernorm.weight`, [hiddenSize]);
    shapes.set(`${at}.mlp.gate_proj.weight`, [intermediateSize, hiddenSize]);
    shapes.set(`${at}.mlp.up_proj.weight`, [intermediateSize, hiddenSize]);
    shapes.set(`${at}.mlp.down_proj.weight`, [hiddenSize, intermediateSize]);
  }
  shapes.set("model.norm.weight", [hiddenSize]);
  if (!config.tiedEmbeddings) shapes.set("lm_head.weight", [vocabularySize, hiddenSize]);
  return shapes;
}
