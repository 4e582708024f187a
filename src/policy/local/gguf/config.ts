/** The metadata of a GGUF file as the `config.json` that the same model has in a Hugging Face folder. */
import { EngineError } from "../../../base/errors.ts";
import type { JsonObject } from "../config-file.ts";
import { quoted } from "../quoted.ts";
import { openGguf, type GgufFile } from "./gguf-file.ts";

/** Architectures whose metadata and tensors are understood here. Which of them can be run is `config-file.ts`. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  llama: "LlamaForCausalLM",
  qwen2: "Qwen2ForCausalLM",
  qwen3: "Qwen3ForCausalLM",
};

export async function readGgufConfig(path: string): Promise<JsonObject> {
  const file = await openGguf(path);
  await file.close();
  return configOf(file);
}

export function configOf({ path, metadata, tensors }: GgufFile): JsonObject {
  const form = metadata.get("general.architecture");
  const parts = metadata.get("split.count");
  if (typeof parts === "number" && parts > 1) {
    throw new EngineError("bad-gguf", `${path} is one of ${parts} parts of a model; join them to one file first.`);
  }
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
  if (tensors.has("rope_freqs.weight")) {
    throw new EngineError(
      "bad-model-config",
      `${path} stretches its rotary positions by a tensor of factors (Llama 3.1 and later); that is not read here. Take the model's Hugging Face folder.`,
    );
  }
  const heads = of("attention.head_count");
  const width = of("embedding_length");
  const headSize = of("attention.key_length") ?? Math.floor(Number(width) / Number(heads));
  const turned = of("rope.dimension_count") ?? headSize;
  return {
    architectures: [ARCHITECTURES[form]],
    model_type: form,
    vocab_size: embedding.shape[0],
    hidden_size: width,
    intermediate_size: of("feed_forward_length"),
    num_hidden_layers: of("block_count"),
    num_attention_heads: heads,
    num_key_value_heads: of("attention.head_count_kv") ?? heads,
    head_dim: headSize,
    max_position_embeddings: of("context_length"),
    rms_norm_eps: shortest(of("attention.layer_norm_rms_epsilon")),
    rope_theta: shortest(of("rope.freq_base") ?? 10_000),
    ...(turned === headSize ? {} : { partial_rotary_factor: Number(turned) / Number(headSize) }),
    ...scalingOf(of),
    hidden_act: "silu",
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

/** Stretched rotary positions, in a named way. */
function scalingOf(of: (key: string) => unknown): JsonObject {
  const named = of("rope.scaling.type") ?? "none";
  if (named !== "none") return { rope_scaling: { rope_type: named, factor: of("rope.scaling.factor") } };
  return {};
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
