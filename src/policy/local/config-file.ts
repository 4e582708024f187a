/**
 * `config.json` of a Hugging Face folder to a `ModelConfig` and back. What this engine does not compute (quantised weights,
 * positions on a part of a head, mixtures of experts) is refused by name: a model that is read wrongly still talks.
 */
import { EngineError } from "../../base/errors.ts";
import { badField, onlyField, positiveField, wholeField, type JsonObject } from "./config-field.ts";
import { ACTIVATIONS, FORMS, REFUSED_FORMS, type Form, type FormName, type MatrixName } from "./forms.ts";
import { formOf, type ModelConfig } from "./model-config.ts";
import { quoted } from "./quoted.ts";
import { parseRope, ropeJson } from "./rope-file.ts";

export type { JsonObject } from "./config-field.ts";

/** Far more than the deepest that is known: lists are made as long as it says. */
const MOST_LAYERS = 2_000;

export function parseConfig(json: JsonObject, where: string): ModelConfig {
  const name = formNameOf(json, where);
  const form: Form = FORMS[name];
  const { defaults } = form;
  refuseUnknownArithmetic(json, form, where);
  const whole = (key: string, otherwise?: number): number => wholeField(json, key, where, otherwise);
  const hiddenSize = whole("hidden_size");
  const heads = whole("num_attention_heads");
  const keyValueHeads = whole("num_key_value_heads", defaults.keyValueHeads ?? heads);
  const headSize = whole("head_dim", defaults.headSize ?? Math.floor(hiddenSize / heads));
  if (heads % keyValueHeads !== 0) {
    throw badField(where, "num_key_value_heads", keyValueHeads, `a divisor of the ${heads} attention heads`);
  }
  if (headSize % 2 !== 0) throw badField(where, "head_dim", headSize, "even, because rotary positions turn pairs");
  const layers = whole("num_hidden_layers");
  if (layers > MOST_LAYERS) throw badField(where, "num_hidden_layers", layers, `at most ${MOST_LAYERS}`);
  const rope = parseRope(json, form, headSize / 2, where);
  const { ropeScaling } = rope;
  const window = windowOf(json, form, layers, where);
  const biases = biasesOf(json, form);
  return {
    form: name,
    hiddenSize,
    heads,
    keyValueHeads,
    headSize,
    vocabularySize: whole("vocab_size"),
    layers,
    intermediateSize: whole("intermediate_size"),
    contextLength:
      ropeScaling?.type === "longrope"
        ? Math.min(ropeScaling.originalContext, ropeScaling.fullContext)
        : whole("max_position_embeddings", defaults.contextLength),
    normEpsilon: positiveField(json, "rms_norm_eps", where, defaults.normEpsilon),
    tiedEmbeddings:
      typeof json["tie_word_embeddings"] === "boolean" ? json["tie_word_embeddings"] : defaults.tiedEmbeddings,
    ...rope,
    ...(window === undefined ? {} : { window }),
    ...(defaults.queryScalar === undefined
      ? {}
      : { queryScalar: positiveField(json, "query_pre_attn_scalar", where, defaults.queryScalar) }),
    ...(biases.length === 0 ? {} : { biases }),
  };
}

/** The configuration under transformers' names, over what was there before: ids of special tokens and the like stay. */
export function configJson(config: ModelConfig, before: JsonObject = {}): JsonObject {
  const form = formOf(config);
  const { dtype: _dtype, rope_parameters: rope, ...kept } = before;
  const { ropeScaling, queryScalar, biases = [] } = config;
  return {
    ...kept,
    architectures: [form.architecture],
    model_type: form.modelType,
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headSize,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: ropeScaling?.type === "longrope" ? ropeScaling.fullContext : config.contextLength,
    ...ropeJson(config, rope),
    rms_norm_eps: config.normEpsilon,
    tie_word_embeddings: config.tiedEmbeddings,
    [form.activationKey]: ACTIVATIONS[form.activation][0],
    ...windowJson(config),
    ...(queryScalar === undefined ? {} : { query_pre_attn_scalar: queryScalar }),
    ...Object.fromEntries(
      Object.entries(form.biasSwitches).map(([key, names]) => [key, names.every((name) => biases.includes(name))]),
    ),
  };
}

function formNameOf(json: JsonObject, where: string): FormName {
  const { architectures, model_type: type } = json;
  const named = Array.isArray(architectures) ? String(architectures[0]) : undefined;
  const key = named ?? String(type);
  const entries = Object.entries(FORMS) as [FormName, Form][];
  const found = entries.find(([, form]) => (named === undefined ? form.modelType : form.architecture) === key);
  if (found !== undefined) return found[0];
  const why = Object.hasOwn(REFUSED_FORMS, key) ? ` It is not carried: ${REFUSED_FORMS[key]}.` : "";
  throw new EngineError(
    "unknown-architecture",
    `${where}: the architecture is ${quoted(key)}; this engine runs ${entries.map(([, form]) => form.architecture).join(", ")}.${why}`,
    { details: { architecture: key } },
  );
}

function refuseUnknownArithmetic(json: JsonObject, form: Form, where: string): void {
  const only = (key: string, allowed: readonly unknown[]): void => onlyField(json, key, where, allowed);
  only(form.activationKey, ACTIVATIONS[form.activation]);
  for (const key of ["attention_bias", "mlp_bias"]) {
    only(key, Object.hasOwn(form.biasSwitches, key) ? [true, false] : [false]);
  }
  only("partial_rotary_factor", [1]);
  const rope = json["rope_parameters"];
  if (typeof rope === "object" && rope !== null) onlyField(rope as JsonObject, "partial_rotary_factor", where, [1]);
  only("quantization_config", []);
  only("attn_logit_softcapping", []);
  only("final_logit_softcapping", []);
  only("use_bidirectional_attention", [false]);
}

function biasesOf(json: JsonObject, { biasSwitches }: Form): MatrixName[] {
  return Object.entries(biasSwitches).flatMap(([key, names]) => (json[key] === true ? names : []));
}

const [FULL, SLIDING] = ["full_attention", "sliding_attention"];
/** Gemma 3: every sixth layer sees everything. Qwen: layers from this one on, where windows are switched on. */
const PATTERN = 6;
const FIRST_SWITCHED = 28;

/** Layers with a window: those that `layer_types` names, or else those that transformers assumes for the form. */
function windowOf(json: JsonObject, form: Form, layers: number, where: string): ModelConfig["window"] {
  const { layer_types: listed, sliding_window: given } = json;
  const types = Array.isArray(listed) ? listed : undefined;
  const odd = types?.find((type) => type !== FULL && type !== SLIDING);
  if (odd !== undefined) throw badField(where, "layer_types", odd, `"${FULL}" or "${SLIDING}"`);
  const silent = form.windows === "none" || (form.windows === "switched" && json["use_sliding_window"] !== true);
  if (silent) {
    if (types?.includes(SLIDING) !== true) return undefined;
    throw badField(where, "layer_types", SLIDING, `"${FULL}" in every layer, where windows are not switched on`);
  }
  if (given === null) return undefined;
  const pattern = form.windows === "pattern" ? wholeField(json, "sliding_window_pattern", where, PATTERN) : 0;
  const first = form.windows === "switched" ? Number(json["max_window_layers"] ?? FIRST_SWITCHED) : 0;
  const isNear = (layer: number): boolean => {
    if (form.windows === "all") return true;
    if (types !== undefined) return types[layer] === SLIDING;
    return form.windows === "pattern" ? (layer + 1) % pattern !== 0 : layer >= first;
  };
  const near = Array.from({ length: layers }, (_, layer) => layer).filter(isNear);
  // Phi-3 has no size of its own: where none is given, everything is seen.
  if (near.length === 0 || (given === undefined && form.defaults.windowSize === undefined)) return undefined;
  return { size: wholeField(json, "sliding_window", where, form.defaults.windowSize), layers: near };
}

function windowJson({ window, layers, form }: ModelConfig): JsonObject {
  const kind = FORMS[form].windows;
  if (kind === "none" || (kind === "switched" && window === undefined)) return {};
  if (kind === "all") return { sliding_window: window?.size ?? null };
  const types = Array.from({ length: layers }, (_, layer) =>
    window?.layers.includes(layer) === true ? SLIDING : FULL,
  );
  return {
    ...(kind === "switched" ? { use_sliding_window: true } : {}),
    ...(window === undefined ? {} : { sliding_window: window.size }),
    layer_types: types,
  };
}
