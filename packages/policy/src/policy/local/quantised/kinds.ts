/** How the matrices of a model that do not learn are kept, and keys and values of what it has read. */
import { EngineError } from "limbeck-base/base/errors";
import { parameterCount, type ModelConfig } from "../model-config.ts";

export const WEIGHT_KINDS = ["float32", "int8", "int4"] as const;
export type WeightKind = (typeof WEIGHT_KINDS)[number];

export const CACHE_KINDS = ["float32", "float16"] as const;
export type CacheKind = (typeof CACHE_KINDS)[number];

export const ATTENTION_KINDS = ["full", "two-level"] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** Below this many parameters "auto" is float32: it is exact, and memory is no matter. */
const MANY_PARAMETERS = 250e6;

/** What "auto" means for a model. */
export function chosenKind(config: ModelConfig, asked: WeightKind | "auto" = "float32"): WeightKind {
  if (asked === "auto") return parameterCount(config) >= MANY_PARAMETERS ? "int8" : "float32";
  if (WEIGHT_KINDS.includes(asked)) return asked;
  throw new EngineError(
    "bad-option",
    `The weights are "${asked as string}"; allowed: auto, ${WEIGHT_KINDS.join(", ")}.`,
  );
}

export function checkCacheKind(asked: CacheKind | undefined): void {
  if (asked === undefined || CACHE_KINDS.includes(asked)) return;
  throw new EngineError("bad-option", `The cache is "${asked as string}"; allowed: ${CACHE_KINDS.join(", ")}.`);
}

export function checkAttentionKind(asked: AttentionKind | undefined): void {
  if (asked === undefined || ATTENTION_KINDS.includes(asked)) return;
  throw new EngineError("bad-option", `attention is "${asked as string}"; allowed: ${ATTENTION_KINDS.join(", ")}.`);
}

/** Attention in one graph with the weights scores every key. */
export function refuseSparse(asked: AttentionKind | object | undefined): void {
  if (typeof asked !== "object") checkAttentionKind(asked);
  if (asked === undefined || asked === "full") return;
  throw new EngineError(
    "needs-unmet",
    "attention two-level is for a model whose weights are int8 or int4: open it with --weights int8, or leave it out.",
  );
}
