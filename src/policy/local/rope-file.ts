/**
 * Rotary settings of `config.json` to those of a `ModelConfig` and back. They stand in `rope_theta` and `rope_scaling`, or
 * since transformers 5 in `rope_parameters`, which has one part for each kind of layer where a form has two kinds.
 */
import { isObject } from "../../base/index.ts";
import { badField, positiveField, wholeField, type JsonObject } from "./config-field.ts";
import type { Form, RopeScaling } from "./forms.ts";
import type { ModelConfig } from "./model-config.ts";

type RopeSettings = Pick<ModelConfig, "ropeTheta" | "ropeScaling" | "localRopeTheta">;

/** `half` is how many pairs of a head are turned. */
export function parseRope(json: JsonObject, form: Form, half: number, where: string): RopeSettings {
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
export function ropeJson(config: ModelConfig, before: unknown): JsonObject {
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
