/** The metadata of a GGUF file as the `config.json` that the same model has in a Hugging Face folder. */
import { EngineError } from "limbeck-base/base/errors";
import type { JsonObject } from "../config-file.ts";
import { quote } from "../quote.ts";
import { isList, openGguf, type GgufFile } from "./gguf-file.ts";

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
    const shown = typeof form === "string" ? quote(form) : "missing";
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

// Stretched rotary positions of a GGUF file, under the names of `config.json`. Some stand in its metadata, some in tensors.

/** Tensors that hold a divisor for every rate; they are settings, not weights. */
export const FACTOR_TENSORS = ["rope_freqs.weight", "rope_factors_short.weight", "rope_factors_long.weight"] as const;

export type Factors = Readonly<Partial<Record<(typeof FACTOR_TENSORS)[number], Float32Array>>>;

/** More than a head has pairs; a broken size must not take memory without end. */
const MOST_FACTORS = 65_536;

export async function readFactors(file: GgufFile): Promise<Factors> {
  const found: Partial<Record<(typeof FACTOR_TENSORS)[number], Float32Array>> = {};
  for (const name of FACTOR_TENSORS) {
    const count = file.tensors.get(name)?.shape.reduce((product, side) => product * side, 1);
    if (count === undefined) continue;
    if (count > MOST_FACTORS) {
      throw new EngineError(
        "bad-gguf",
        `${file.path}: ${name} has ${count} numbers; at most ${MOST_FACTORS} are read.`,
      );
    }
    found[name] = new Float32Array(count);
    await file.readInto(name, found[name]);
  }
  return found;
}

interface RopeParts {
  readonly path: string;
  /** A value of the architecture's metadata. */
  readonly of: (key: string) => unknown;
  readonly factors: Factors;
  readonly headSize: number;
  readonly theta: number;
}

export function scalingJson(parts: RopeParts): JsonObject {
  const { of, factors } = parts;
  const rates = factors["rope_freqs.weight"];
  if (rates !== undefined) return { rope_scaling: llama3(parts, rates) };
  const [short, long] = [factors["rope_factors_short.weight"], factors["rope_factors_long.weight"]];
  if (short !== undefined && long !== undefined) {
    const attention = of("rope.scaling.attn_factor");
    return {
      original_max_position_embeddings: of("rope.scaling.original_context_length"),
      rope_scaling: {
        type: "longrope",
        short_factor: [...short],
        long_factor: [...long],
        ...(attention === undefined ? {} : { attention_factor: attention }),
      },
    };
  }
  const named = of("rope.scaling.type") ?? "none";
  if (named === "none") return {};
  return { rope_scaling: { rope_type: named, factor: of("rope.scaling.factor") } };
}

/** Turns within the original context below which a rate is divided, and above which it stays; all known models have these. */
const [LOW, HIGH] = [1, 4];
const ORIGINAL_CONTEXT = 8_192;

/**
 * Files hold the divisors that Llama 3.1's rule gives, not its settings. The largest divisor is its factor; whether the rule
 * with the usual bounds gives the others is checked.
 */
function llama3({ path, of, headSize, theta }: RopeParts, divisors: Float32Array): JsonObject {
  const factor = divisors.reduce((most, divisor) => Math.max(most, divisor), 1);
  const declared = of("rope.scaling.original_context_length");
  const original = typeof declared === "number" ? declared : ORIGINAL_CONTEXT;
  const fits =
    divisors.length === headSize / 2 &&
    divisors.every((divisor, at) => {
      const wave = 2 * Math.PI * theta ** ((2 * at) / headSize);
      const between = (original / wave - LOW) / (HIGH - LOW);
      const share = Math.min(1, Math.max(0, between));
      return Math.abs(divisor * ((1 - share) / factor + share) - 1) < 1e-3;
    });
  if (!fits) {
    throw new EngineError(
      "bad-model-config",
      `${path} stretches its rotary positions by a tensor of factors (rope_freqs.weight) that is not Llama 3.1's with a first context of ${original}. Take the model's Hugging Face folder.`,
    );
  }
  return {
    rope_type: "llama3",
    factor,
    low_freq_factor: LOW,
    high_freq_factor: HIGH,
    original_max_position_embeddings: original,
  };
}
