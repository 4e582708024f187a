/**
 * A training in its folder. The folder is a run of the store (episodes, skills, metrics, events) that also holds the
 * checkpoint, in `model/`, and the average of a teacher that has one, in `teacher-N.f32`. `N` is the update it belongs
 * to, so that a kill between the two files leaves a pair that fits.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { EngineError } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import {
  copyWeights,
  createChatDialect,
  createLocalPolicy,
  headShapes,
  openModel,
  requireTokenizer,
  type LocalModel,
  type LocalPolicy,
  type OpenModelOptions,
} from "../policy/local/index.ts";
import { createStrategy } from "../rollout/index.ts";
import type { Analyst } from "../skill/index.ts";
import type { RunWriter } from "../store/store.ts";
import type { JsonObject } from "../trajectory/index.ts";
import type { EndEvent, TrainEvent } from "./events.ts";
import { freshProgress, readProgress, type TrainProgress } from "./progress.ts";
import { providersFor } from "./providers/index.ts";
import { noRecords, type Records } from "./records.ts";
import { getRecipe } from "./registry.ts";
import { creditSettings, strategySettings, type Settings } from "./settings.ts";
import { runTraining, teacherOf, type TrainingRequest } from "./training.ts";

export interface TrainingPlan extends Pick<
  TrainingRequest,
  | "validation"
  | "report"
  | "evaluationTemperature"
  | "stopAt"
  | "enough"
  | "checkpointEvery"
  | "updates"
  | "seed"
  | "settings"
  | "demonstrator"
  | "reward"
> {
  readonly recipe: string;
  readonly credit: string;
  readonly strategy: string;
  readonly env: Env;
  /** How the world was asked for, as it is stored and compared when a run is resumed. */
  readonly envName: string;
  /** Folder of the model to start from. */
  readonly model: string;
  readonly analyst: Analyst;
  /** The folder of the run. */
  readonly dir: string;
  readonly resume: boolean;
  /**
   * Whether the folder also becomes a run of the store; yes unless told. Without it only the checkpoint is kept, and the
   * store's engines are never loaded.
   */
  readonly keep?: boolean;
  readonly threads?: number;
  /** Told before anything else after how many updates the training goes on. */
  readonly onBegin?: (from: number) => Promise<void>;
  readonly onEvent: (event: TrainEvent) => void;
  readonly onProgress?: NonNullable<TrainingRequest["onProgress"]>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export async function train(plan: TrainingPlan): Promise<EndEvent> {
  const dir = resolve(plan.dir);
  const checkpoint = join(dir, "model");
  const keep = plan.keep ?? true;
  const there = await exists(keep ? join(dir, "run.json") : checkpoint);
  if (there && !plan.resume) {
    throw new EngineError(
      "target-exists",
      `"${plan.dir}" is there already. Give --resume to continue it, or another --dir.`,
    );
  }
  const config = configOf(plan);
  const fingerprint = createHash("sha256")
    .update(JSON.stringify({ ...config, updates: 0 }))
    .digest("hex");
  const threads = plan.threads === undefined ? {} : { threads: plan.threads };
  const base = await openModel(plan.model, { ...threads, ...headsOf(plan) });
  const begun = there && (await exists(checkpoint));
  const run = basename(dir);
  let records: Records | undefined;
  let model: LocalModel = base;
  let acting: LocalPolicy | undefined;
  try {
    const start = copyWeights(base.weights);
    if (begun) {
      model = await openModel(checkpoint, { ...threads, resume: true });
      await base.close();
    }
    const progress = begun ? readProgress(model.progress, fingerprint) : freshProgress(fingerprint);
    await plan.onBegin?.(progress.update);
    if (!keep) await mkdir(dir, { recursive: true });
    records = keep
      ? await (await import("./kept-records.ts")).openRecords(dirname(dir), run, { there, config })
      : noRecords(run);
    const strategy = createStrategy(plan.strategy, strategySettings(plan.settings, plan.strategy));
    if (progress.strategy !== null) strategy.load?.(progress.strategy);
    const teacher = teacherOf(plan.settings, model, start);
    if (begun && teacher.state !== undefined) await readTeacher(dir, progress.update, teacher.state.flat);
    const end = await runTraining({
      ...plan,
      run,
      recipeName: plan.recipe,
      recipe: getRecipe(plan.recipe),
      model,
      start,
      strategy,
      teacher,
      teacherPolicy: () => {
        if (plan.settings["teacher"] === "self") return model;
        acting ??= createLocalPolicy(model.config, teacher.state ?? start, threads);
        // An average moves in place: what the policy remembers of earlier prompts no longer holds.
        acting.replaced(progress.update);
        return acting;
      },
      dialect: await createChatDialect(requireTokenizer(model)),
      progress,
      writer: records.writer,
      stored: records.stored,
      save: (reached) => save(model, { dir, checkpoint, reached, teacher: teacher.state?.flat }),
    });
    await finish(records.writer, end);
    return end;
  } finally {
    await records?.close();
    await acting?.close();
    await model.close();
  }
}

/** A value head, where the credit method has one beside the policy. */
function headsOf({ credit, settings }: TrainingPlan): Pick<OpenModelOptions, "heads"> {
  if (!providersFor(credit, creditSettings(settings)).includes("value-head")) return {};
  return { heads: (config) => headShapes(config, ["value"]) };
}

function configOf(plan: TrainingPlan): JsonObject & { readonly settings: Settings } {
  const {
    recipe,
    credit,
    strategy,
    settings,
    seed,
    updates,
    validation,
    report,
    evaluationTemperature,
    stopAt,
    envName,
  } = plan;
  return {
    recipe,
    credit,
    strategy,
    env: envName,
    model: plan.model,
    seed,
    updates,
    settings,
    validation: { ...validation },
    report: { ...report },
    evaluationTemperature,
    stopAt,
  };
}

async function finish(writer: RunWriter, end: EndEvent): Promise<void> {
  await writer.addEvent("end", {
    reason: end.reason,
    update: end.update,
    before: { ...end.before },
    after: { ...end.after },
    spent: { ...end.spent },
  });
  await writer.close();
}

interface SaveRequest {
  readonly dir: string;
  readonly checkpoint: string;
  readonly reached: TrainProgress;
  readonly teacher: Float32Array | undefined;
}

async function save(model: LocalModel, { dir, checkpoint, reached, teacher }: SaveRequest): Promise<void> {
  const own = teacherFile(reached.update);
  if (teacher !== undefined)
    await writeFile(join(dir, own), new Uint8Array(teacher.buffer, teacher.byteOffset, teacher.byteLength));
  await model.save(checkpoint, { progress: { training: { ...reached } } });
  if (teacher === undefined) return;
  const old = (await readdir(dir)).filter((name) => /^teacher-\d+\.f32$/.test(name) && name !== own);
  for (const name of old) await rm(join(dir, name));
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

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
