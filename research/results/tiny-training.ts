/** A tiny model that learns a study's world, and what it does there afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createRng,
  type Rng,
  type Env,
  type Dialect,
  createChatDialect,
  openModel,
  train,
  type TrainEvent,
  type TrainOptions,
  type JsonObject,
  type Task,
  type Trajectory,
} from "limbeck";
import { evaluateAgent } from "limbeck/eval";
import { objectives } from "limbeck/update";
import type { TrainRow } from "limbeck/policy";
import { createModel, requireTokenizer, trainBytePair } from "limbeck/local";
import { createTokenAgent, rebuiltPrompts } from "limbeck/search";

export interface TinyTraining {
  readonly recipe: string;
  /** Default: the recipe's own. */
  readonly credit?: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Env;
  /** The model to start from, as `writeStart` makes it. */
  readonly start: string;
  /** At most. */
  readonly updates: number;
  /** Ends the training after the update with which so much has been spent. Default: never. */
  readonly enough?: NonNullable<TrainOptions["enough"]>;
  readonly seed: number;
  readonly onUpdate?: (event: TrainEvent & { readonly kind: "update" }) => void;
}

export interface TinyTrained {
  /** Plays tasks with the trained weights, answers confined to what is listed. */
  readonly play: (env: Env, tasks: readonly Task[], seed: string) => Promise<readonly Trajectory[]>;
  /** What the recipe kept. */
  readonly kept: JsonObject | null;
}

const TEMPERATURE = 0.4;

/** A folder that is gone when the work is done. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-study-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function withTinyTraining<T>(plan: TinyTraining, use: (trained: TinyTrained) => Promise<T>): Promise<T> {
  return await withFolder(async (root) => {
    await train({
      recipe: plan.recipe,
      ...(plan.credit === undefined ? {} : { credit: plan.credit }),
      strategy: "group",
      settings: plan.settings,
      env: plan.env,
      envName: "study",
      model: plan.start,
      steps: plan.updates,
      ...(plan.enough === undefined ? {} : { enough: plan.enough }),
      seed: plan.seed,
      validation: { every: 0, tasks: 0 },
      report: { tasks: 0 },
      evaluationTemperature: TEMPERATURE,
      checkpointEvery: plan.updates,
      dir: join(root, "run"),
      keep: false,
      threads: 1,
      onEvent: (event) => {
        if (event.kind === "update") plan.onUpdate?.(event);
      },
      now: () => performance.now(),
    });
    return await withTinyModel(join(root, "run", "model"), plan, use);
  });
}

/** The same with a model that is there; a start has kept nothing. */
export async function withTinyModel<T>(
  folder: string,
  plan: Pick<TinyTraining, "settings">,
  use: (trained: TinyTrained) => Promise<T>,
): Promise<T> {
  const model = await openModel(folder, { threads: 1, resume: true });
  try {
    const dialect = await createChatDialect(requireTokenizer(model));
    const answerTokens = Number(plan.settings["answerTokens"] ?? 24);
    const agent = createTokenAgent({
      policy: model,
      dialect,
      temperature: TEMPERATURE,
      answerTokens,
      restrict: true,
      prompting: rebuiltPrompts({ turns: 0 }),
    });
    const { training } = model.progress as { readonly training?: { readonly recipe: JsonObject | null } };
    return await use({
      kept: training?.recipe ?? null,
      play: async (env, tasks, seed) => (await evaluateAgent({ env, agent, tasks, seed })).trajectories,
    });
  } finally {
    await model.close();
  }
}

export interface TinyStart {
  readonly seed: number;
  /** What the tokenizer is made of; every word should become one token. */
  readonly texts: readonly string[];
  readonly size: {
    readonly layers: number;
    readonly width: number;
    readonly contextLength: number;
    readonly vocabulary: number;
  };
  /** What it knows before the study begins: answers to prompts, imitated. Default: random weights. */
  readonly lessons?: { readonly batches: number; readonly lesson: (rng: Rng) => Lesson };
}

export interface Lesson {
  readonly prompt: string;
  readonly answer: string;
  /** How the answer begins, where only its beginning is imitated. */
  readonly imitated?: string;
}

const BATCH = 32;
const LESSON_RATE = 3e-3;

export async function writeStart(folder: string, { texts, seed, size, lessons }: TinyStart): Promise<void> {
  const tokenizer = trainBytePair(texts, { vocabularySize: size.vocabulary });
  const { layers, width, contextLength } = size;
  const model = await createModel(
    {
      form: "qwen3",
      vocabularySize: size.vocabulary + 16,
      hiddenSize: width,
      layers,
      heads: 4,
      keyValueHeads: 4,
      headSize: width / 4,
      intermediateSize: 2 * width,
      contextLength,
      ropeTheta: 10_000,
      normEpsilon: 1e-6,
      tiedEmbeddings: true,
    },
    { seed, tokenizer, threads: 1 },
  );
  try {
    if (lessons !== undefined) {
      const dialect = await createChatDialect(requireTokenizer(model));
      const rng = createRng(seed).split("lessons");
      const objective = objectives["cross-entropy"].create({});
      for (let batch = 0; batch < lessons.batches; batch += 1) {
        await model.backward(
          Array.from({ length: BATCH }, () => rowOf(lessons.lesson(rng), dialect)),
          objective,
        );
        await model.step({ learningRate: LESSON_RATE });
      }
    }
    await model.save(folder, { optimiser: false });
  } finally {
    await model.close();
  }
}

function rowOf({ prompt, answer, imitated }: Lesson, dialect: Dialect): TrainRow {
  const [read, said] = [dialect.opening(prompt), dialect.reply(answer)];
  const ids = Int32Array.of(...read, ...said);
  // The beginning alone has no end of its own.
  const end = imitated === undefined ? ids.length : read.length + dialect.reply(imitated).length - 1;
  return { ids, mask: new Uint8Array(ids.length).fill(1, read.length, end) };
}
