/** The model that is warmed up: the base, a bundled one, a folder, or a new one; with its own words or with those of the world. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { OWN_MANIFEST } from "limbeck-base/base/own-place";
import { packageFolder } from "limbeck-base/base/package-folder";
import { bundledModel, bundledNames } from "limbeck-policy/policy/local/bundled-model";
import { createModel, openModel, requireTokenizer } from "limbeck-policy/policy/local/open-model";
import { trainBytePair } from "limbeck-policy/policy/local/byte-pair";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { isModelPlace } from "limbeck-policy/policy/local/is-gguf";
import { bundledModels, filePackage } from "limbeck-policy/policy/starts";
import type { Lesson } from "./lesson.ts";

/** The shape and the chat template of a new model are those of this one. */
const PATTERN = "household";
const FRESH = "fresh";
/** One that has read every world of ours and many that are made up; too large for the package, so it has one of its own. */
const LARGER = "base";
const LARGER_PACKAGE = filePackage("limbeck-base-model");
const WORLD_MODELS = filePackage("limbeck-world-models").name;

/** Names that stand for a base; anything else is a folder. */
export const baseNames: readonly string[] = [LARGER, ...bundledNames, FRESH];

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

/** At three times this rate a bundled base forgets in some updates how to say again what it has read, and does not find it again. */
const BUNDLED_RATE = 1e-3;
const FRESH_RATE = 3e-3;
/** Larger models move further in a step. */
const FOLDER_RATE = 5e-4;

export function learningRateFor({ isFresh, isBundled }: Base): number {
  return isFresh ? FRESH_RATE : isBundled ? BUNDLED_RATE : FOLDER_RATE;
}

/** `project` is the folder whose packages are looked through, `ownManifest` that of this package. */
export async function findBase(base: string, project = process.cwd(), ownManifest = OWN_MANIFEST): Promise<Base> {
  if (base === LARGER) {
    const folder = packageFolder(LARGER_PACKAGE, project, ownManifest);
    if (folder !== undefined) return { folder, isFresh: false, isBundled: false };
    throw notHere(base, LARGER_PACKAGE.name, project);
  }
  if (base === FRESH) return { folder: bundledModel(PATTERN), isFresh: true, isBundled: true };
  const bundled = bundledNames.find((name) => name === base);
  if (bundled !== undefined) return { folder: bundledModel(bundled), isFresh: false, isBundled: true };
  if (await isModelPlace(base)) {
    return { folder: base, isFresh: false, isBundled: false };
  }
  if (Object.hasOwn(bundledModels, base)) throw notHere(base, WORLD_MODELS, project);
  throw new EngineError(
    "unknown-name",
    `No base "${base}": it is no model folder or GGUF file, and none of ${baseNames.join(", ")}.`,
    { details: { base } },
  );
}

function notHere(base: string, name: string, project: string): EngineError {
  return new EngineError(
    "package-missing",
    `The model "${base}" is in a package of its own, ${name}, which is not installed here. In a clone of Limbeck: npm run install-into -- ${JSON.stringify(project)} ${name}. Or take --base ${PATTERN}, which comes with limbeck. A folder of your own called ${base} is ./${base}.`,
    { details: { package: name, project } },
  );
}

/** A new model has no other words; a bundled one gets them by itself. */
export function getsNewWords({ isFresh, isBundled }: Base, words: BaseOptions["words"]): boolean {
  return isFresh || (words === undefined ? isBundled : words === "new");
}

/** With its own words, or with those of the lessons. */
export async function openBase(base: Base, options: BaseOptions): Promise<LocalModel> {
  const { folder, isFresh } = base;
  const { threads, words } = options;
  const model = await openModel(folder, withoutUndefined({ threads }));
  if (!getsNewWords(base, words)) return model;
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
