/** The model that is warmed up: a bundled one, a folder, or a new one; with its own words or with those of the world. */
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
import { isModelPlace } from "../../policy/local/is-gguf.ts";
import type { Lesson } from "./lesson.ts";

/** The shape and the chat template of a new model are those of this one. */
const PATTERN: BundledModelName = "household";
const FRESH = "fresh";

export interface BaseOptions {
  readonly words?: "new" | "base" | undefined;
  readonly threads?: number | undefined;
  readonly seed: number;
  readonly lessons: readonly Lesson[];
}

/** What a name of a base stands for. */
export interface Base {
  readonly folder: string;
  /** Only the shape of that model is taken. */
  readonly isFresh: boolean;
  readonly isBundled: boolean;
}

export async function findBase(base: string): Promise<Base> {
  if (base === FRESH) return { folder: bundledModel(PATTERN), isFresh: true, isBundled: true };
  const bundled = bundledNames.find((name) => name === base);
  if (bundled !== undefined) return { folder: bundledModel(bundled), isFresh: false, isBundled: true };
  if (await isModelPlace(base)) {
    return { folder: base, isFresh: false, isBundled: false };
  }
  throw new EngineError(
    "unknown-name",
    `No base "${base}": it is no model folder or GGUF file, and none of ${[...bundledNames, FRESH].join(", ")}.`,
    { details: { base } },
  );
}

/** With its own words, or with those of the lessons. A new model and a bundled one get new words by themselves. */
export async function openBase({ folder, isFresh, isBundled }: Base, options: BaseOptions): Promise<LocalModel> {
  const { threads, words = isBundled ? "new" : "base" } = options;
  const model = await openModel(folder, withoutUndefined({ threads }));
  if (!isFresh && words === "base") return model;
  try {
    return await withNewWords(model, { ...options, keepWeights: !isFresh });
  } finally {
    await model.close();
  }
}

/**
 * A model of the same shape that reads words of the lessons. Where weights are kept, a new word begins as the mean of the
 * old tokens it was spelt with.
 */
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
