/** The model that a command line names: options, opening, and errors that say which folder. */
import { resolve } from "node:path";
import { withoutUndefined } from "../../base/fields.ts";
import type { Adapter } from "../../policy/local/lora.ts";
import type { ModelConfig } from "../../policy/local/model-config.ts";
import type { CacheKind, WeightKind } from "../../policy/local/quantised/kinds.ts";
import type { LocalModel } from "../../policy/local/local-model.ts";
import type { Invocation, Option } from "../command.ts";
import { parseCount, usageError } from "../parse.ts";
import { shared, text } from "../options.ts";

export const modelOptions: Readonly<Record<string, Option>> = {
  model: text("DIR", "Model folder (config.json, model.safetensors, tokenizer.json) or GGUF file"),
  threads: shared.threads,
  weights: shared.weights,
};

export const adapterOption: Readonly<Record<string, Option>> = {
  adapter: text("DIR", "Adapter to use on it, in the layout of PEFT"),
};

/** The path behind an option, or a usage error that names it. */
export function neededPath(invocation: Invocation, command: string, option: string, what: string): string {
  const given = invocation.text(option);
  if (given !== undefined && given !== "") return resolve(invocation.io.cwd, given);
  throw usageError(`"limbeck ${command}" needs --${option} ${what}.`);
}

export interface GivenModel {
  readonly folder?: string;
  readonly resume?: boolean;
  readonly adapter?: (config: ModelConfig) => Adapter;
  /** Default: what the command line says. */
  readonly weights?: WeightKind;
}

/** The engine is loaded here, so that `--help` stays quick. The caller closes the model. */
export async function openGiven(invocation: Invocation, command: string, more: GivenModel = {}): Promise<LocalModel> {
  const folder = more.folder ?? neededPath(invocation, command, "model", "DIR, a model folder or GGUF file");
  const { openModel } = await import("../../policy/local/open-model.ts");
  const adapter = more.adapter ?? (await givenAdapter(invocation));
  const threads = maybeCount(invocation, "threads");
  const weights = more.weights ?? givenWeights(invocation) ?? "auto";
  const say = (sentence: string): void => invocation.note(sentence);
  return openModel(
    folder,
    withoutUndefined({ threads, adapter, resume: more.resume, weights, cache: givenCache(invocation), say }),
  );
}

async function givenAdapter(invocation: Invocation): Promise<Adapter | undefined> {
  const given = invocation.text("adapter");
  if (given === undefined) return undefined;
  const { readAdapter } = await import("../../policy/local/adapter-files.ts");
  return readAdapter(resolve(invocation.io.cwd, given));
}

/** A number, or a usage error that names the option and its bounds. */
export function givenNumber(
  invocation: Invocation,
  option: string,
  bounds: { readonly otherwise: number; readonly low: number; readonly high?: number },
): number {
  const text = invocation.text(option);
  if (text === undefined) return bounds.otherwise;
  const { low, high = Number.MAX_VALUE } = bounds;
  const value = Number(text);
  if (text.trim() !== "" && value >= low && value <= high) return value;
  const allowed = high === Number.MAX_VALUE ? `of at least ${low}` : `from ${low} to ${high}`;
  throw usageError(`--${option} must be a number ${allowed}; got "${text}".`);
}

/** The same, or undefined: what was not given is the library's to decide. */
export function maybeNumber(
  invocation: Invocation,
  option: string,
  bounds: { readonly low: number; readonly high?: number },
): number | undefined {
  return invocation.text(option) === undefined
    ? undefined
    : givenNumber(invocation, option, { otherwise: 0, ...bounds });
}

export function maybeCount(invocation: Invocation, option: string, least = 1): number | undefined {
  const text = invocation.text(option);
  return text === undefined ? undefined : parseCount(text, option, least);
}

export function givenCount(invocation: Invocation, option: string, otherwise: number, least = 1): number {
  return maybeCount(invocation, option, least) ?? otherwise;
}

/** What the parser let through is one of the names. */
export function givenWeights(invocation: Invocation): WeightKind | "auto" | undefined {
  return invocation.text("weights") as WeightKind | "auto" | undefined;
}

export function givenCache(invocation: Invocation): CacheKind | undefined {
  return invocation.text("cache") as CacheKind | undefined;
}
