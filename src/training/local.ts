/**
 * A training whose model is in this process. The checkpoint is the folder `model/`; the average of a teacher that has one
 * is `teacher-N.f32`. `N` is the update it belongs to, so that a kill between the two files leaves a pair that fits.
 */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../base/index.ts";
import type { CreditMethod } from "../credit/index.ts";
import { openTeacher, type Teacher } from "../distill/index.ts";
import {
  copyWeights,
  createChatDialect,
  headShapes,
  openModel,
  requireTokenizer,
  type LocalModel,
  type LocalPolicy,
  type OpenModelOptions,
  type Weights,
} from "../policy/local/index.ts";
import { createLocalPolicy } from "../policy/local/local-policy.ts";
import { providersFor } from "../update/providers/index.ts";
import { settingsUnder, type Settings } from "../update/settings.ts";
import { BEST } from "./doctor-notices.ts";
import type { OpenedModel } from "./opened-model.ts";

export interface LocalTraining {
  /** Folder of the model to start from. */
  readonly model: string;
  readonly credit: CreditMethod;
  readonly settings: Settings;
  readonly threads?: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly dir: string;
  readonly checkpoint: string;
  /** Whether the checkpoint is there. */
  readonly begun: boolean;
}

export async function openLocal(plan: LocalTraining): Promise<OpenedModel> {
  const { dir, checkpoint, settings } = plan;
  const threads = plan.threads === undefined ? {} : { threads: plan.threads };
  const base = await openModel(plan.model, { ...threads, ...headsOf(plan) });
  const start = copyWeights(base.weights);
  let model: LocalModel = base;
  if (plan.begun) {
    try {
      model = await openModel(checkpoint, { ...threads, resume: true });
    } finally {
      await base.close();
    }
  }
  let acting: LocalPolicy | undefined;
  let average: Float32Array | undefined;
  let teacher: Teacher | undefined;
  return {
    model,
    parameters: model.weights.flat.length,
    start: model.scorerWith(start),
    dialect: await createChatDialect(requireTokenizer(model)),
    held: plan.begun ? model.progress : undefined,
    share: {
      kind: "here",
      copy: () => ({ version: model.ref.version ?? 0, weights: model.weights.flat.slice() }),
      write: (folder) => model.save(folder, { optimiser: false }),
    },
    teach: async (update) => {
      const opened = await teacherOf(plan, model, start);
      teacher = opened;
      average = opened.state?.flat;
      if (plan.begun && average !== undefined) await readTeacher(dir, update, average);
      return {
        teacher: opened,
        acting: () => {
          if (settings["teacher"] === "self") return model;
          if (opened.policy !== undefined) return opened.policy;
          acting ??= createLocalPolicy(model.config, opened.state ?? start, threads);
          // An average moves in place: what the policy remembers of earlier prompts no longer holds.
          acting.replaced(update);
          return acting;
        },
      };
    },
    save: async (reached) => {
      const own = teacherFile(reached.update);
      if (average !== undefined)
        await writeFile(join(dir, own), new Uint8Array(average.buffer, average.byteOffset, average.byteLength));
      await model.save(checkpoint, { progress: { training: { ...reached } } });
      if (average === undefined) return;
      const old = (await readdir(dir)).filter((name) => /^teacher-\d+\.f32$/.test(name) && name !== own);
      for (const name of old) await rm(join(dir, name));
    },
    keepBest: () => model.save(join(dir, BEST), { optimiser: false }),
    close: async () => {
      await acting?.close();
      await teacher?.close?.();
      await model.close();
    },
  };
}

/** The teacher a recipe's settings name; recipes without one get the start, which nobody asks. */
async function teacherOf(
  { settings, threads, environment }: LocalTraining,
  model: LocalModel,
  start: Weights,
): Promise<Teacher> {
  const { teacher = "reference", teacherDecay = 0, teacherSource } = settings;
  return await openTeacher(String(teacher), model, {
    start,
    decay: Number(teacherDecay),
    source: typeof teacherSource === "string" ? teacherSource : null,
    threads,
    environment,
  });
}

/** A value head, where the credit method has one beside the policy. */
export function headsOf({
  credit,
  settings,
}: Pick<LocalTraining, "credit" | "settings">): Pick<OpenModelOptions, "heads"> {
  if (!providersFor(credit, settingsUnder(settings, "credit.")).includes("value-head")) return {};
  return { heads: (config) => headShapes(config, ["value"]) };
}

async function readTeacher(dir: string, update: number, into: Float32Array): Promise<void> {
  const bytes = await readFile(join(dir, teacherFile(update))).catch((cause: unknown) => {
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

function teacherFile(update: number): string {
  return `teacher-${update}.f32`;
}
