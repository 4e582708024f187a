/**
 * A training whose model is in this process. The checkpoint is the folder `model/`; the average of a teacher that has one
 * is `teacher-N.f32`. `N` is the update it belongs to, so that a kill between the two files leaves a pair that fits.
 */
import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { replaceFile } from "limbeck-base/base/files";
import { withoutUndefined } from "limbeck-base/base/fields";
import { plainBytes } from "limbeck-base/base/plain-file";
import type { CreditMethod } from "limbeck-core/credit/credit";
import { openTeacher } from "limbeck-core/distill/index";
import type { TaughtModel, Teacher } from "limbeck-core/distill/teacher";
import { copyWeights, type Weights } from "limbeck-policy/policy/local/weights";
import { createAdapter } from "limbeck-policy/policy/local/lora";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import { headShapes } from "limbeck-policy/policy/local/heads";
import { openModel, requireTokenizer, type OpenModelOptions } from "limbeck-policy/policy/local/open-model";
import {
  saveAdapter,
  findAdapter,
  resumeAdapterTraining,
  saveAdapterTraining,
  weightsOfTraining,
} from "limbeck-policy/policy/local/adapter-files";
import type { LocalModel, ModelSaveOptions } from "limbeck-policy/policy/local/local-model";
import { type LocalPolicy, createLocalPolicy } from "limbeck-policy/policy/local/local-policy";
import type { Draft } from "limbeck-policy/policy/local/draft/kinds";
import type { WeightKind } from "limbeck-policy/policy/local/quantised/kinds";
import { providersFor } from "limbeck-core/update/providers/index";
import type { Settings } from "limbeck-core/update/settings";
import { BEST } from "./doctor-notices.ts";
import type { OpenedModel } from "./opened-model.ts";

export interface LocalTraining {
  /** Folder of the model to start from. */
  readonly model: string;
  readonly credit: CreditMethod;
  readonly settings: Settings;
  readonly threads?: number;
  readonly cores?: number;
  readonly draft?: Draft;
  /** How a base model that does not learn is kept; missing: float32. */
  readonly weights?: Exclude<WeightKind, "float32">;
  /** Rank of an adapter that learns in the place of the weights. */
  readonly lora?: number;
  readonly seed: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dir: string;
  readonly checkpoint: string;
  /** Whether the checkpoint is there. */
  readonly begun: boolean;
}

export async function openLocal(plan: LocalTraining): Promise<OpenedModel> {
  const { dir, checkpoint, settings } = plan;
  const given = withoutUndefined({ threads: plan.threads, cores: plan.cores, draft: plan.draft });
  if (plan.begun) await requireSame(plan);
  const quantised = plan.weights !== undefined;
  const learning = { ...learningPart(plan), ...withoutUndefined({ weights: plan.weights }) };
  const base = await openModel(plan.model, { ...given, ...learning });
  // Draft heads lie beside the start; checkpoints go on with them.
  const engine = { ...given, ...withoutUndefined({ draftHeads: base.draftHeads }) };
  const learns = { ...engine, ...learning };
  const start = copyWeights(base.weights);
  let model: LocalModel = base;
  let held = plan.begun && quantised ? await resumeAdapterTraining(checkpoint, base) : undefined;
  if (plan.begun && !quantised) {
    try {
      model = await openModel(checkpoint, { ...learns, resume: true });
    } finally {
      await base.close();
    }
    held = model.progress;
  }
  const { adapter } = model;
  // With an adapter the weights stay as they are: the same without it is the start.
  const bare = adapter === undefined ? undefined : createLocalPolicy(model.config, start, engine);
  const save = async (folder: string, options: ModelSaveOptions): Promise<void> => {
    if (quantised) {
      return await saveAdapterTraining(folder, model, { base: plan.model, progress: options.progress ?? {} });
    }
    await model.save(folder, options);
    if (adapter !== undefined) await saveAdapter(folder, adapter, { base: plan.model });
  };
  const learned = (adapter?.weights ?? model.weights).flat;
  let acting: LocalPolicy | undefined;
  let average: Float32Array | undefined;
  let teacher: Teacher | undefined;
  return {
    model,
    parameters: learned.length,
    start: bare ?? model.scorerWith(start),
    dialect: await createChatDialect(requireTokenizer(model)),
    held,
    share: {
      kind: "here",
      copy: () => ({ version: model.ref.version ?? 0, weights: model.weights.flat.slice() }),
      write: (folder) => save(folder, { optimiser: false }),
    },
    teach: async (update) => {
      const opened = await teacherOf(plan, bare === undefined ? model : taught(plan, model, bare), start);
      teacher = opened;
      average = opened.state?.flat;
      if (plan.begun && average !== undefined) await readTeacher(dir, update, average);
      return {
        teacher: opened,
        acting: () => {
          if (settings.teacher === "self") return model;
          if (opened.policy !== undefined) return opened.policy;
          acting ??= createLocalPolicy(model.config, opened.state ?? start, engine);
          // An average moves in place: what the policy remembers of earlier prompts no longer holds.
          acting.replaced(update);
          return acting;
        },
      };
    },
    save: async (reached) => {
      const own = teacherFile(reached.update);
      // Written beside it first: a resumed run saves the update it begins with again, and a kill must leave that file whole.
      if (average !== undefined) await replaceFile(join(dir, own), bytesOf(average), join(dir, ".teacher.f32"));
      await save(checkpoint, { progress: { training: { ...reached } } });
      if (average === undefined) return;
      const old = (await readdir(dir)).filter((name) => /^teacher-\d+\.f32$/.test(name) && name !== own);
      for (const name of old) await rm(join(dir, name));
    },
    digest: () => createHash("sha256").update(bytesOf(learned)).digest("hex"),
    keepBest: () => save(join(dir, BEST), { optimiser: false }),
    close: async () => {
      await acting?.close();
      await teacher?.close?.();
      await bare?.close();
      await model.close();
    },
  };
}

/** Teachers that are made of the weights at the start are scored without the adapter; averages of weights stand still. */
function taught({ settings }: LocalTraining, model: LocalModel, bare: LocalPolicy): TaughtModel {
  const { teacher = "reference" } = settings;
  if (["ema", "mixture", "routed"].includes(teacher)) {
    throw new EngineError(
      "needs-unmet",
      `The teacher ${teacher} follows the weights, which an adapter (lora) leaves as they are. Choose the teacher reference or self, or train the weights (lora 0).`,
    );
  }
  return {
    config: model.config,
    tokenizer: model.tokenizer,
    statistics: model.statistics,
    score: (rows, options) => model.score(rows, options),
    scorerWith: (weights) => bare.scorerWith(weights),
    weights: model.weights,
  };
}

/** The teacher a recipe's settings name; recipes without one get the start, which is not used. */
async function teacherOf(
  { settings, threads, environment }: LocalTraining,
  model: TaughtModel,
  start: Weights,
): Promise<Teacher> {
  const { teacher = "reference", teacherDecay = 0, teacherSource } = settings;
  return await openTeacher(teacher, model, {
    start,
    decay: teacherDecay,
    source: teacherSource ?? null,
    threads,
    environment,
  });
}

/** Before the checkpoint is opened, which one of another shape could not be. */
async function requireSame({ checkpoint, lora = 0, weights }: LocalTraining): Promise<void> {
  const rank = (await findAdapter(checkpoint))?.lora.rank ?? 0;
  const both = [
    { name: "lora", had: String(rank), has: String(lora) },
    { name: "weights", had: await weightsOfTraining(checkpoint), has: weights ?? "float32" },
  ];
  const differing = both.filter(({ had, has }) => had !== has);
  const [first] = differing;
  if (first === undefined) return;
  throw new EngineError(
    "other-training",
    `The run was started with other settings: ${first.name} was ${first.had} and is now ${first.has}. Give the same ones to resume it, or start a new run.`,
    { details: { differing } },
  );
}

/** What learns: the weights with heads, or an adapter that holds the heads. */
function learningPart(plan: LocalTraining): OpenModelOptions {
  const { lora: rank, seed } = plan;
  if (rank === undefined) return headsOf(plan);
  const heads = headsOf(plan).heads === undefined ? [] : (["value"] as const);
  return { adapter: (config) => createAdapter(config, { rank, seed, heads }) };
}

/** A value head, where the credit method has one beside the policy. */
export function headsOf({
  credit,
  settings,
}: Pick<LocalTraining, "credit" | "settings">): Pick<OpenModelOptions, "heads"> {
  if (!providersFor(credit, settings.credit).includes("value-head")) return {};
  return { heads: (config) => headShapes(config, ["value"]) };
}

async function readTeacher(dir: string, update: number, into: Float32Array): Promise<void> {
  const bytes = await plainBytes(join(dir, teacherFile(update))).catch((cause: unknown) => {
    throw new EngineError(
      "missing-teacher",
      `"${dir}" has a checkpoint of update ${update} but not the teacher's average, ${teacherFile(update)}; start a new run.`,
      { cause },
    );
  });
  if (bytes.byteLength !== into.byteLength) {
    throw new EngineError(
      "bad-teacher",
      `${teacherFile(update)} has ${bytes.byteLength} bytes; ${into.byteLength} are needed.`,
    );
  }
  into.set(new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)));
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function teacherFile(update: number): string {
  return `teacher-${update}.f32`;
}
