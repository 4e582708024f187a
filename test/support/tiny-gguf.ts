/** Tiny models as GGUF files, with the same weights as a model of this engine. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { ModelConfig } from "../../packages/policy/src/policy/local/model-config.ts";
import { createWeights, initialise, type Weights } from "../../packages/policy/src/policy/local/weights.ts";
import { floats, type Metadata, type RawTensor } from "./gguf.ts";

/** SentencePiece: special tokens, bytes, then pieces. */
export const PIECES = ["<unk>", "<s>", "</s>", ...bytePieces(), "\u2581", "a", "b", "\u2581a", "ab", "\u2581ab"];
const SCORES = [...Array.from({ length: 259 }, () => 0), -9, -8, -7, -1, -2, -3];
const KINDS = [2, 3, 3, ...Array.from({ length: 256 }, () => 6), 1, 1, 1, 1, 1, 1];

function bytePieces(): string[] {
  return Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);
}

export const TINY: ModelConfig = {
  form: "llama",
  vocabularySize: PIECES.length,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 4,
  intermediateSize: 24,
  contextLength: 64,
  ropeTheta: 10_000,
  normEpsilon: 1e-5,
  tiedEmbeddings: false,
};

export const TEMPLATE =
  "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}</s>\n{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}";

export const PIECE_WORDS: Metadata = {
  "tokenizer.ggml.model": "llama",
  "tokenizer.ggml.tokens": PIECES,
  "tokenizer.ggml.scores": Float32Array.from(SCORES),
  "tokenizer.ggml.token_type": Int32Array.from(KINDS),
  "tokenizer.ggml.bos_token_id": 1,
  "tokenizer.ggml.eos_token_id": 2,
  "tokenizer.ggml.unknown_token_id": 0,
  "tokenizer.chat_template": TEMPLATE,
};

/** Files of Mistral say that they are Llama's. */
function architectureOf({ form }: ModelConfig): string {
  return form === "mistral" ? "llama" : form;
}

export function sizesOf(config: ModelConfig): Metadata {
  const at = architectureOf(config);
  return {
    "general.architecture": at,
    [`${at}.context_length`]: config.contextLength,
    [`${at}.embedding_length`]: config.hiddenSize,
    [`${at}.block_count`]: config.layers,
    [`${at}.feed_forward_length`]: config.intermediateSize,
    [`${at}.attention.head_count`]: config.heads,
    [`${at}.attention.head_count_kv`]: config.keyValueHeads,
    [`${at}.attention.key_length`]: config.headSize,
    [`${at}.attention.layer_norm_rms_epsilon`]: { float: config.normEpsilon },
    [`${at}.rope.freq_base`]: { float: config.ropeTheta },
    ...(at === "gemma3" || at === "phi3" ? { [`${at}.attention.sliding_window`]: config.window?.size ?? 0 } : {}),
    ...ropeOf(config, at),
  };
}

function ropeOf({ ropeScaling }: ModelConfig, at: string): Metadata {
  if (ropeScaling?.type === "linear") {
    return { [`${at}.rope.scaling.type`]: "linear", [`${at}.rope.scaling.factor`]: { float: ropeScaling.factor } };
  }
  if (ropeScaling === undefined) return {};
  const original = { [`${at}.rope.scaling.original_context_length`]: ropeScaling.originalContext };
  if (ropeScaling.type === "llama3") return original;
  const { fullContext, attentionFactor } = ropeScaling;
  const factor = { [`${at}.rope.scaling.attn_factor`]: { float: attentionFactor } };
  return { ...original, ...factor, [`${at}.context_length`]: fullContext };
}

/** The divisors of the rates, where they are tensors. */
function factorsOf({ ropeScaling, headSize, ropeTheta }: ModelConfig): RawTensor[] {
  const list = (name: string, values: readonly number[]): RawTensor =>
    floats(`rope_${name}.weight`, [values.length], Float32Array.from(values));
  if (ropeScaling?.type === "longrope") {
    return [list("factors_short", ropeScaling.shortFactors), list("factors_long", ropeScaling.longFactors)];
  }
  if (ropeScaling?.type !== "llama3") return [];
  const { factor, lowFrequency, highFrequency, originalContext } = ropeScaling;
  const divisors = Array.from({ length: headSize / 2 }, (_, at) => {
    const wave = 2 * Math.PI * ropeTheta ** ((2 * at) / headSize);
    if (wave < originalContext / highFrequency) return 1;
    if (wave > originalContext / lowFrequency) return factor;
    const smooth = (originalContext / wave - lowFrequency) / (highFrequency - lowFrequency);
    return 1 / ((1 - smooth) / factor + smooth);
  });
  return [list("freqs", divisors)];
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^model\.embed_tokens/, "token_embd"],
  [/^model\.norm/, "output_norm"],
  [/^lm_head/, "output"],
  [/^model\.layers\.(\d+)\.input_layernorm/, "blk.$1.attn_norm"],
  [/^model\.layers\.(\d+)\.post_attention_layernorm/, "blk.$1.ffn_norm"],
  [/^model\.layers\.(\d+)\.self_attn\.qkv_proj/, "blk.$1.attn_qkv"],
  [/^model\.layers\.(\d+)\.mlp\.gate_up_proj/, "blk.$1.ffn_up"],
  [/^model\.layers\.(\d+)\.self_attn\.([qkv])_proj/, "blk.$1.attn_$2"],
  [/^model\.layers\.(\d+)\.self_attn\.([qk])_norm/, "blk.$1.attn_$2_norm"],
  [/^model\.layers\.(\d+)\.self_attn\.o_proj/, "blk.$1.attn_output"],
  [/^model\.layers\.(\d+)\.mlp\.(gate|up|down)_proj/, "blk.$1.ffn_$2"],
];

/** Gemma 3 norms what a layer adds too. */
const GEMMA3_NAMES: typeof NAMES = [
  [/^model\.layers\.(\d+)\.post_attention_layernorm/, "blk.$1.post_attention_norm"],
  [/^model\.layers\.(\d+)\.pre_feedforward_layernorm/, "blk.$1.ffn_norm"],
  [/^model\.layers\.(\d+)\.post_feedforward_layernorm/, "blk.$1.post_ffw_norm"],
];

export function tinyWeights(config: ModelConfig, seed = "tiny"): Weights {
  const weights = createWeights(config);
  initialise(weights, config, createRng(seed));
  return weights;
}

/** The weights under GGUF's names; in the Llama form rows of queries and keys stand side by side, as rotary pairs. */
export function tensorsOf(config: ModelConfig, weights: Weights): RawTensor[] {
  const gemma = config.form === "gemma3";
  const names = gemma ? [...GEMMA3_NAMES, ...NAMES] : NAMES;
  const tensors = [...weights.places].map(([name, { shape }]) => {
    const values = (weights.views[name] as Float32Array).slice();
    // What a norm multiplies by: in a folder it is less by one.
    if (gemma && name.endsWith("norm.weight")) values.forEach((value, at) => (values[at] = value + 1));
    const paired = architectureOf(config) === "llama" && /[qk]_proj/.test(name) ? pairs(values, config, shape) : values;
    return floats(
      names.reduce((text, [from, to]) => text.replace(from, to), name),
      shape,
      paired,
    );
  });
  return [...factorsOf(config), ...tensors];
}

/** Row i of the first half of a head, then row i of the second. */
function pairs(values: Float32Array, { headSize }: ModelConfig, [, hiddenSize = 1]: readonly number[]): Float32Array {
  const out = new Float32Array(values.length);
  const row = (at: number): Float32Array => values.subarray(at * hiddenSize, (at + 1) * hiddenSize);
  for (let head = 0; head < values.length / hiddenSize / headSize; head += 1) {
    for (let at = 0; at < headSize / 2; at += 1) {
      out.set(row(head * headSize + at), (head * headSize + 2 * at) * hiddenSize);
      out.set(row(head * headSize + headSize / 2 + at), (head * headSize + 2 * at + 1) * hiddenSize);
    }
  }
  return out;
}
