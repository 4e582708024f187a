/** The model that is warmed up: a bundled one, a folder, or a new one; with its own words or with those of the world. */
import { stat } from "node:fs/promises";
import { EngineError, withoutUndefined } from "../../base/index.ts";
import {
  bundledModel,
  bundledNames,
  createModel,
  openModel,
  requireTokenizer,
  trainBytePair,
  type BundledModelName,
  type LocalModel,
} from "../../policy/local/index.ts";
import type { Lesson } from "./lesson.ts";

/** The shape and the chat template of a new model are those of this one. */
const PATTERN: BundledModelName = "household";
export const FRESH = "fresh";

export interface BaseOptions {
  /** Whether the tokenizer is learnt anew from the lessons; a fresh model has no other. */
  readonly newWords: boolean;
  readonly threads?: number | undefined;
  readonly seed: number;
  readonly lessons: readonly Lesson[];
}

export async function openBase(base: string, options: BaseOptions): Promise<LocalModel> {
  const fresh = base === FRESH;
  const model = await openModel(await folderOf(base), withoutUndefined({ threads: options.threads }));
  if (!fresh && !options.newWords) return model;
  try {
    return await withNewWords(model, { ...options, keepWeights: !fresh });
  } finally {
    await model.close();
  }
}

async function folderOf(base: string): Promise<string> {
  if (base === FRESH) return bundledModel(PATTERN);
  const bundled = bundledNames.find((name) => name === base);
  if (bundled !== undefined) return bundledModel(bundled);
  if ((await stat(base).catch(() => undefined))?.isDirectory() === true) return base;
  throw new EngineError(
    "unknown-name",
    `No base "${base}": it is no model folder, and none of ${[...bundledNames, FRESH].join(", ")}.`,
    { details: { base } },
  );
}

/** A model of the same shape that reads words of the lessons. Where weights are kept, a new word begins as the mean of the old tokens it was spelt with. */
async function withNewWords(
  model: LocalModel,
  { keepWeights, threads, seed, lessons }: BaseOptions & { readonly keepWeights: boolean },
): Promise<LocalModel> {
  const { config } = model;
  const old = requireTokenizer(model);
  const { chatTemplate } = old.files;
  const specials = [...old.specials.keys()];
  const files = trainBytePair(textsOf(lessons), { vocabularySize: config.vocabularySize, specials });
  const renewed = await createModel(config, {
    ...withoutUndefined({ threads }),
    seed,
    name: model.ref.name,
    tokenizer: { ...files, ...withoutUndefined({ chatTemplate }) },
  });
  if (!keepWeights) return renewed;
  const tokenizer = requireTokenizer(renewed);
  const perWord = new Set(["model.embed_tokens.weight", "lm_head.weight"]);
  for (const [name, view] of Object.entries(renewed.weights.views)) {
    const source = model.weights.views[name] as Float32Array;
    if (!perWord.has(name)) {
      view.set(source);
      continue;
    }
    for (let id = 0; id < tokenizer.size; id += 1) {
      const text = tokenizer.decode([id]);
      const special = old.specials.get(text);
      // A lone byte of a longer letter has no text of its own and stays as it was drawn.
      if (special === undefined && text.includes("\uFFFD")) continue;
      setMean(view, id, source, special === undefined ? old.encode(text) : [special], config.hiddenSize);
    }
  }
  return renewed;
}

function setMean(view: Float32Array, id: number, source: Float32Array, parts: ArrayLike<number>, width: number): void {
  if (parts.length === 0) return;
  for (let at = 0; at < width; at += 1) {
    let total = 0;
    for (const part of Array.from(parts)) total += source[part * width + at] as number;
    view[id * width + at] = total / parts.length;
  }
}

function* textsOf(lessons: readonly Lesson[]): Iterable<string> {
  for (const { decisions } of lessons) for (const { message, action } of decisions) yield* [message, action];
}
