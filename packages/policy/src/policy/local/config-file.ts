/**
 * `config.json` of a Hugging Face folder to a `ModelConfig` and back. What this engine does not compute (quantised weights,
 * positions on a part of a head, mixtures of experts) is refused by name: a model that is read wrongly still talks.
 */
import { EngineError } from "limbeck-base/base/errors";
import {
  ACTIVATIONS,
  type Form,
  type FormName,
  FORMS,
  type MatrixName,
  REFUSED_FORMS,
  type RopeScaling,
} from "./forms.ts";
import { formOf, type ModelConfig } from "./model-config.ts";
import { quote } from "./quote.ts";
import { isObject } from "limbeck-base/base/json";

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
    `${where}: the architecture is ${quote(key)}; this engine runs ${entries.map(([, form]) => form.architecture).join(", ")}.${why}`,
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

// Single fields of `config.json`, checked: what a file says is foreign.

export type JsonObject = Readonly<Record<string, unknown>>;

export function badField(where: string, key: string, value: unknown, allowed: string): EngineError {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const plain = typeof value === "number" || typeof value === "boolean";
  const shown = value === undefined ? "missing" : plain ? String(value) : quote(text);
  return new EngineError(
    "bad-model-config",
    `${where}: "${key}" is ${shown}; it must be ${allowed === "" ? "absent" : allowed}.`,
    { details: { key } },
  );
}

export function wholeField(json: JsonObject, key: string, where: string, otherwise?: number): number {
  const value = json[key] ?? otherwise;
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  throw badField(where, key, value, "a whole number of at least 1");
}

export function positiveField(json: JsonObject, key: string, where: string, otherwise?: number): number {
  const value = json[key] ?? otherwise;
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw badField(where, key, value, "a number above 0");
}

/** Refuses a value that this engine does not compute; what is absent or null is fine. */
function onlyField(json: JsonObject, key: string, where: string, allowed: readonly unknown[]): void {
  const value = json[key];
  if (value === undefined || value === null || allowed.includes(value)) return;
  throw badField(where, key, value, allowed.map((entry) => JSON.stringify(entry)).join(" or "));
}

// Rotary settings of `config.json` to those of a `ModelConfig` and back. They stand in `rope_theta` and `rope_scaling`, or
// since transformers 5 in `rope_parameters`, which has one part for each kind of layer where a form has two kinds.

type RopeSettings = Pick<ModelConfig, "ropeTheta" | "ropeScaling" | "localRopeTheta">;

/** `half` is how many pairs of a head are turned. */
function parseRope(json: JsonObject, form: Form, half: number, where: string): RopeSettings {
  const all = json["rope_parameters"] ?? json["rope_scaling"];
  const listed = isObject(all) ? all : {};
  const nested = isObject(listed["full_attention"]) ? listed["full_attention"] : undefined;
  const rope = nested ?? listed;
  const theta = rope["rope_theta"] ?? json["rope_theta"] ?? form.defaults.ropeTheta;
  const ropeTheta = positiveField({ rope_theta: theta }, "rope_theta", where);
  const ropeScaling = scalingOf(json, rope, form, half, where);
  const { localRopeTheta } = form.defaults;
  const local = isObject(listed["sliding_attention"]) ? listed["sliding_attention"] : {};
  if (kindOf(local) !== "default") throw badField(where, "rope_scaling", kindOf(local), DEFAULT);
  const turns = local["rope_theta"] ?? json["rope_local_base_freq"] ?? localRopeTheta;
  return {
    ropeTheta,
    ...(ropeScaling === undefined ? {} : { ropeScaling }),
    ...(localRopeTheta === undefined
      ? {}
      : { localRopeTheta: positiveField({ rope_local_base_freq: turns }, "rope_local_base_freq", where) }),
  };
}

/** The settings under transformers' names, old and, where the file had them before, new. */
function ropeJson(config: ModelConfig, before: unknown): JsonObject {
  const { ropeTheta, ropeScaling, localRopeTheta } = config;
  const scaling = ropeScaling === undefined ? null : scalingJson(ropeScaling);
  const all = { ...(scaling ?? { rope_type: "default" }), rope_theta: ropeTheta };
  const local = { rope_type: "default", rope_theta: localRopeTheta };
  return {
    rope_theta: ropeTheta,
    rope_scaling: scaling,
    ...(localRopeTheta === undefined ? {} : { rope_local_base_freq: localRopeTheta }),
    ...(ropeScaling?.type === "longrope" ? { original_max_position_embeddings: ropeScaling.originalContext } : {}),
    ...(isObject(before)
      ? { rope_parameters: localRopeTheta === undefined ? all : { full_attention: all, sliding_attention: local } }
      : {}),
  };
}

const DEFAULT = 'null or of type "default"';

function kindOf(rope: JsonObject): unknown {
  return rope["rope_type"] ?? rope["type"] ?? "default";
}

function scalingOf(
  json: JsonObject,
  rope: JsonObject,
  form: Form,
  half: number,
  where: string,
): RopeScaling | undefined {
  const kind = kindOf(rope);
  if (kind === "default") return undefined;
  // The first Phi-3 models say "su" and mean this.
  const type = kind === "su" ? "longrope" : kind;
  const number = (key: string, otherwise?: number): number => positiveField(rope, key, where, otherwise);
  if (!(form.ropeScalings as readonly unknown[]).includes(type)) {
    const allowed = [DEFAULT, ...form.ropeScalings.map((name) => `"${name}"`)].join(" or ");
    throw badField(where, "rope_scaling", kind, `${allowed} in this form`);
  }
  if (type === "linear") return { type, factor: number("factor") };
  if (type === "llama3") {
    const [lowFrequency, highFrequency] = [number("low_freq_factor"), number("high_freq_factor")];
    if (highFrequency <= lowFrequency) {
      throw badField(where, "high_freq_factor", highFrequency, `above low_freq_factor, which is ${lowFrequency}`);
    }
    const originalContext = wholeField(rope, "original_max_position_embeddings", where);
    return { type, factor: number("factor"), lowFrequency, highFrequency, originalContext };
  }
  return longrope(json, rope, form, half, where);
}

function longrope(json: JsonObject, rope: JsonObject, form: Form, half: number, where: string): RopeScaling {
  const fullContext = wholeField(json, "max_position_embeddings", where, form.defaults.contextLength);
  const key = "original_max_position_embeddings";
  const originalContext = wholeField({ [key]: rope[key] ?? json[key] }, key, where, fullContext);
  const factors = (name: string): readonly number[] => {
    const list = rope[name];
    const good =
      Array.isArray(list) && list.length === half && list.every((factor) => Number.isFinite(factor) && factor > 0);
    if (good) return list as number[];
    throw badField(where, name, list, `a list of ${half} numbers above 0`);
  };
  const stretch = positiveField(rope, "factor", where, fullContext / originalContext);
  const usual = usualAttentionFactor(stretch, originalContext);
  return {
    type: "longrope",
    shortFactors: factors("short_factor"),
    longFactors: factors("long_factor"),
    originalContext,
    fullContext,
    attentionFactor: positiveField(rope, "attention_factor", where, usual),
  };
}

/** LongRoPE (arXiv 2402.13753): sines and cosines are multiplied by sqrt(1 + ln(stretch) / ln(original context)). */
function usualAttentionFactor(stretch: number, originalContext: number): number {
  return stretch <= 1 ? 1 : Math.sqrt(1 + Math.log(stretch) / Math.log(originalContext));
}

function scalingJson(scaling: RopeScaling): JsonObject {
  if (scaling.type === "linear") return { rope_type: scaling.type, factor: scaling.factor };
  if (scaling.type === "llama3") {
    return {
      rope_type: scaling.type,
      factor: scaling.factor,
      low_freq_factor: scaling.lowFrequency,
      high_freq_factor: scaling.highFrequency,
      original_max_position_embeddings: scaling.originalContext,
    };
  }
  const { shortFactors, longFactors, attentionFactor } = scaling;
  const usual = usualAttentionFactor(scaling.fullContext / scaling.originalContext, scaling.originalContext);
  // Before version 5, transformers takes these three and no others.
  return {
    type: scaling.type,
    short_factor: shortFactors,
    long_factor: longFactors,
    ...(attentionFactor === usual ? {} : { attention_factor: attentionFactor }),
  };
}
