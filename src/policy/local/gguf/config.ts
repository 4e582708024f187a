/** The metadata of a GGUF file as the `config.json` that the same model has in a Hugging Face folder. */
import { EngineError } from "../../../base/errors.ts";
import type { JsonObject } from "../config-file.ts";
import { quoted } from "../quoted.ts";
import { type GgufFile, openGguf, isList } from "./gguf-file.ts";
import { type Factors, readFactors, scalingJson } from "./rope.ts";

/** Architectures whose metadata and tensors are understood here. Files of Mistral and SmolLM2 say "llama". */
const ARCHITECTURES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  llama: { name: "LlamaForCausalLM", type: "llama" },
  qwen2: { name: "Qwen2ForCausalLM", type: "qwen2" },
  qwen3: { name: "Qwen3ForCausalLM", type: "qwen3" },
  gemma3: { name: "Gemma3ForCausalLM", type: "gemma3_text" },
  phi3: { name: "Phi3ForCausalLM", type: "phi3" },
};

/** The architecture, as the file names it. */
export function architectureOf({ metadata }: Pick<GgufFile, "metadata">): string {
  return String(metadata.get("general.architecture"));
}

export async function readGgufConfig(path: string): Promise<JsonObject> {
  const file = await openGguf(path);
  try {
    return configOf(file, await readFactors(file));
  } finally {
    await file.close();
  }
}

export function configOf({ path, metadata, tensors }: GgufFile, factors: Factors): JsonObject {
  const form = metadata.get("general.architecture");
  if (typeof form !== "string" || !Object.hasOwn(ARCHITECTURES, form)) {
    const shown = typeof form === "string" ? quoted(form) : "missing";
    throw new EngineError(
      "unknown-architecture",
      `${path}: general.architecture is ${shown}; GGUF files of ${Object.keys(ARCHITECTURES).join(", ")} are read. Try the model's Hugging Face folder.`,
      { details: { architecture: shown } },
    );
  }
  const of = (key: string): unknown => metadata.get(`${form}.${key}`);
  const embedding = tensors.get("token_embd.weight");
  if (embedding === undefined) throw new EngineError("missing-tensor", `${path} lacks the tensor token_embd.weight.`);
  if (Number(of("expert_count") ?? 0) > 0) {
    throw new EngineError(
      "unknown-architecture",
      `${path}: the model is a mixture of ${Number(of("expert_count"))} experts, which is not computed here.`,
    );
  }
  const heads = of("attention.head_count");
  const width = of("embedding_length");
  const headSize = of("attention.key_length") ?? Math.floor(Number(width) / Number(heads));
  const turned = of("rope.dimension_count") ?? headSize;
  const { name, type } = ARCHITECTURES[form] as { name: string; type: string };
  const theta = shortest(of("rope.freq_base") ?? (form === "gemma3" ? 1_000_000 : 10_000));
  return {
    architectures: [name],
    model_type: type,
    vocab_size: embedding.shape[0],
    hidden_size: width,
    intermediate_size: of("feed_forward_length"),
    num_hidden_layers: of("block_count"),
    num_attention_heads: heads,
    num_key_value_heads: of("attention.head_count_kv") ?? heads,
    head_dim: headSize,
    max_position_embeddings: of("context_length"),
    rms_norm_eps: shortest(of("attention.layer_norm_rms_epsilon")),
    rope_theta: theta,
    ...(turned === headSize ? {} : { partial_rotary_factor: Number(turned) / Number(headSize) }),
    ...scalingJson({ path, of, factors, headSize: Number(headSize), theta: Number(theta) }),
    ...(form === "gemma3" ? gemma3(of, path) : { hidden_act: "silu" }),
    ...(form === "phi3" ? { sliding_window: of("attention.sliding_window") || null } : {}),
    ...(tensors.has("blk.0.attn_output.bias") ? { attention_bias: true } : {}),
    tie_word_embeddings: !tensors.has("output.weight"),
    ...idsOf(metadata),
  };
}

/** Ids of the tokens that begin and end, as `config.json` has them. */
function idsOf(metadata: GgufFile["metadata"]): JsonObject {
  const [begin, end, turn] = ["bos", "eos", "eot"].map((name) => metadata.get(`tokenizer.ggml.${name}_token_id`));
  const ends = [...new Set([end, turn].filter((id) => typeof id === "number"))];
  return {
    ...(typeof begin === "number" ? { bos_token_id: begin } : {}),
    ...(ends.length === 0 ? {} : { eos_token_id: ends.length === 1 ? ends[0] : ends }),
  };
}

const [NEAR, FAR] = ["sliding_attention", "full_attention"];

/** Layers of the one Gemma 3 whose scores are not divided by the root of the head size: 27B. */
const LAYERS_OF_27B = 62;

/** What files of Gemma 3 leave to their readers: the base of near layers, which layers these are, and the scores' divisor. */
function gemma3(of: (key: string) => unknown, path: string): JsonObject {
  const window = of("attention.sliding_window");
  if (typeof window !== "number") {
    throw new EngineError(
      "bad-model-config",
      `${path} lacks gemma3.attention.sliding_window, the window of near layers.`,
    );
  }
  const [width, heads, layers] = [of("embedding_length"), of("attention.head_count"), of("block_count")].map(Number);
  const headSize = of("attention.key_length") ?? Math.floor(Number(width) / Number(heads));
  const pattern = of("attention.sliding_window_pattern");
  return {
    hidden_activation: "gelu_pytorch_tanh",
    sliding_window: window,
    ...(typeof pattern === "number" ? { sliding_window_pattern: pattern } : {}),
    ...(isList(pattern) ? { layer_types: Array.from(pattern, (near) => (near ? NEAR : FAR)) } : {}),
    rope_local_base_freq: shortest(of("rope.freq_base_swa") ?? 10_000),
    query_pre_attn_scalar: layers === LAYERS_OF_27B ? Number(width) / Number(heads) : headSize,
  };
}

/** The shortest decimal with the same float32, so that 1e-5 is not 0.000009999999747378752. */
function shortest(value: unknown): unknown {
  if (typeof value !== "number") return value;
  for (let digits = 1; digits < 9; digits += 1) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(value)) return rounded;
  }
  return value;
}
