/**
 * `config.json` of a Hugging Face folder to a `ModelConfig` and back. What this engine does not compute (scaled rotary
 * positions, biases, sliding windows, quantised weights) is refused by name: a model that is read wrongly still talks.
 */
import { EngineError } from "../../base/errors.ts";
import { isObject } from "../../base/index.ts";
import type { ModelConfig } from "./model-config.ts";
import { quoted } from "./quoted.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const FORMS: Readonly<Record<string, ModelConfig["form"]>> = { LlamaForCausalLM: "llama", Qwen3ForCausalLM: "qwen3" };
const MODEL_TYPES: Readonly<Record<string, ModelConfig["form"]>> = { llama: "llama", qwen3: "qwen3" };

export function parseConfig(json: JsonObject, where: string): ModelConfig {
  const form = formOf(json, where);
  refuseUnknownArithmetic(json, where);
  const whole = (key: string, otherwise?: number): number => {
    const value = json[key] ?? otherwise;
    if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
    throw bad(where, key, value, "a whole number of at least 1");
  };
  const hiddenSize = whole("hidden_size");
  const heads = whole("num_attention_heads");
  const keyValueHeads = whole("num_key_value_heads", heads);
  // Qwen3's own default is 128, whatever the width; Llama divides the width.
  const headSize = whole("head_dim", form === "qwen3" ? 128 : Math.floor(hiddenSize / heads));
  if (heads % keyValueHeads !== 0) {
    throw bad(where, "num_key_value_heads", keyValueHeads, `a divisor of the ${heads} attention heads`);
  }
  if (headSize % 2 !== 0) throw bad(where, "head_dim", headSize, "even, because rotary positions turn pairs");
  return {
    form,
    hiddenSize,
    heads,
    keyValueHeads,
    headSize,
    vocabularySize: whole("vocab_size"),
    layers: whole("num_hidden_layers"),
    intermediateSize: whole("intermediate_size"),
    contextLength: whole("max_position_embeddings", form === "qwen3" ? 32_768 : 2_048),
    ropeTheta: positive(ropeOf(json)["rope_theta"] ?? json["rope_theta"] ?? 10_000, "rope_theta", where),
    normEpsilon: positive(json["rms_norm_eps"] ?? 1e-6, "rms_norm_eps", where),
    tiedEmbeddings: json["tie_word_embeddings"] === true,
  };
}

/** The configuration under transformers' names, over what was there before: ids of special tokens and the like stay. */
export function configJson(config: ModelConfig, before: JsonObject = {}): JsonObject {
  const qwen = config.form === "qwen3";
  const { dtype: _dtype, rope_parameters: rope, ...kept } = before;
  return {
    ...kept,
    architectures: [qwen ? "Qwen3ForCausalLM" : "LlamaForCausalLM"],
    model_type: config.form,
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headSize,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: config.contextLength,
    rope_theta: config.ropeTheta,
    ...(isObject(rope) ? { rope_parameters: { ...rope, rope_type: "default", rope_theta: config.ropeTheta } } : {}),
    rms_norm_eps: config.normEpsilon,
    tie_word_embeddings: config.tiedEmbeddings,
    hidden_act: "silu",
    attention_bias: false,
    ...(qwen ? {} : { mlp_bias: false }),
  };
}

function formOf(json: JsonObject, where: string): ModelConfig["form"] {
  const { architectures, model_type: type } = json;
  const named = Array.isArray(architectures) ? String(architectures[0]) : undefined;
  const table = named === undefined ? MODEL_TYPES : FORMS;
  const key = named ?? String(type);
  const form = Object.hasOwn(table, key) ? table[key] : undefined;
  if (form !== undefined) return form;
  throw new EngineError(
    "unknown-architecture",
    `${where}: the architecture is ${quoted(key)}; this engine runs ${Object.keys(FORMS).join(" and ")}.`,
    { details: { architecture: key } },
  );
}

function refuseUnknownArithmetic(json: JsonObject, where: string): void {
  const only = (key: string, allowed: readonly unknown[]): void => {
    const value = json[key];
    if (value === undefined || value === null || allowed.includes(value)) return;
    throw bad(where, key, value, allowed.map((entry) => JSON.stringify(entry)).join(" or "));
  };
  only("hidden_act", ["silu", "swish"]);
  only("attention_bias", [false]);
  only("mlp_bias", [false]);
  only("use_sliding_window", [false]);
  only("partial_rotary_factor", [1]);
  only("quantization_config", []);
  const rope = ropeOf(json);
  const kind = rope["rope_type"] ?? rope["type"] ?? "default";
  if (kind !== "default") throw bad(where, "rope_scaling", kind, 'null or of type "default"');
  const layers = json["layer_types"];
  const odd = Array.isArray(layers) ? layers.find((layer) => layer !== "full_attention") : undefined;
  if (odd !== undefined) throw bad(where, "layer_types", odd, '"full_attention" in every layer');
}

/** Where rotary settings stand: `rope_scaling` for long, `rope_parameters` since transformers 5. */
function ropeOf(json: JsonObject): JsonObject {
  const rope = json["rope_parameters"] ?? json["rope_scaling"];
  return isObject(rope) ? rope : {};
}

function positive(value: unknown, key: string, where: string): number {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw bad(where, key, value, "a number above 0");
}

function bad(where: string, key: string, value: unknown, allowed: string): EngineError {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const plain = typeof value === "number" || typeof value === "boolean";
  const shown = value === undefined ? "missing" : plain ? String(value) : quoted(text);
  return new EngineError(
    "bad-model-config",
    `${where}: "${key}" is ${shown}; it must be ${allowed === "" ? "absent" : allowed}.`,
    { details: { key } },
  );
}
