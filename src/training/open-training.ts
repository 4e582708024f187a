/**
 * A training in its folder. The folder is a run of the store (episodes, skills, metrics, events) that also holds the
 * checkpoint: the model itself, in `model/`, or the name of one on a trainer, in `remote/`.
 */
import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { EngineError } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import { createStrategy, type Strategy } from "../rollout/index.ts";
import type { Analyst } from "../skill/index.ts";
import type { RunWriter } from "../store/store.ts";
import type { JsonObject } from "../trajectory/index.ts";
import { createSupply, type Away, type Supply } from "./asynchronous.ts";
import type { Correction } from "../update/correction.ts";
import { assignmentOf } from "../update/episodes.ts";
import type { EndEvent, TrainEvent } from "./events.ts";
import { freshProgress, readProgress, type TrainProgress } from "./checkpoint.ts";
import { openLocal } from "./local.ts";
import { noRecords, type Records } from "./records.ts";
import { getRecipe } from "../recipe/registry.ts";
import { openRemote, type TrainerPlan } from "./remote.ts";
import { strategySettings, type Settings } from "../recipe/settings.ts";
import type { OpenedModel, SharedWeights } from "./trained-model.ts";
import { runTraining, type TrainingRequest } from "./loop.ts";

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
  /** Folder of the model to start from; with a trainer only its tokenizer and configuration are read. */
  readonly model: string;
  /** Who holds the weights and changes them; this process unless told. */
  readonly trainer?: TrainerPlan;
  /** Episodes are played elsewhere, while this process learns; not unless told. */
  readonly away?: AwayPlan;
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

export interface AwayPlan {
  /** Most updates between the weights that played a batch and those that learn from it; 0: strictly on-policy. */
  readonly lag: number;
  /** What is done about the age of tokens where there is a lag. */
  readonly correction: Correction;
  readonly open: (share: SharedWeights, place: AwayPlace) => Promise<Away>;
}

export interface AwayPlace {
  readonly run: string;
  /** Something a person should know. */
  readonly onNotice: (message: string) => void;
}

export async function train(plan: TrainingPlan): Promise<EndEvent> {
  const dir = resolve(plan.dir);
  const checkpoint = join(dir, plan.trainer === undefined ? "model" : "remote");
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
  const begun = there && (await exists(checkpoint));
  const run = basename(dir);
  let records: Records | undefined;
  let supply: Supply | undefined;
  const opened = await openModelOf(plan, { dir, checkpoint, begun });
  const { held, model } = opened;
  try {
    const progress = held === undefined ? freshProgress(fingerprint) : readProgress(held, fingerprint);
    await plan.onBegin?.(progress.update);
    if (!keep) await mkdir(dir, { recursive: true });
    records = keep
      ? await (await import("./kept-records.ts")).openRecords(dirname(dir), run, { there, config })
      : noRecords(run);
    const strategy = createStrategy(plan.strategy, strategySettings(plan.settings, plan.strategy));
    if (progress.strategy !== null) strategy.load?.(progress.strategy);
    const { teacher, acting } = await opened.teach(progress.update);
    supply = await supplyOf(plan, { opened, strategy, progress, run });
    const end = await runTraining({
      ...plan,
      ...(supply === undefined ? {} : { supply }),
      ...(plan.away === undefined || plan.away.lag === 0 ? {} : { correction: plan.away.correction }),
      run,
      recipeName: plan.recipe,
      recipe: getRecipe(plan.recipe),
      model,
      parameters: opened.parameters,
      start: opened.start,
      strategy,
      teacher,
      teacherPolicy: acting,
      dialect: opened.dialect,
      progress,
      writer: records.writer,
      stored: records.stored,
      save: opened.save,
    });
    await opened.finish?.();
    await finish(records.writer, end);
    return end;
  } finally {
    await supply?.close();
    await records?.close();
    await opened.close();
  }
}

interface SupplyPlace {
  readonly opened: OpenedModel;
  readonly strategy: Strategy;
  readonly progress: TrainProgress;
  readonly run: string;
}

async function supplyOf(plan: TrainingPlan, place: SupplyPlace): Promise<Supply | undefined> {
  const { away, updates, now, signal } = plan;
  const { opened, strategy, progress, run } = place;
  if (away === undefined) return undefined;
  if (getRecipe(plan.recipe).world !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the recipe ${plan.recipe} plays in a world of its own, which the others do not have. Leave the flag out.`,
    );
  }
  if (strategy.save !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the strategy ${plan.strategy} remembers earlier updates, which are not over yet. Choose another --strategy.`,
    );
  }
  const { model } = opened;
  const onNotice = (message: string): void => plan.onEvent({ kind: "notice", update: progress.update, message });
  return createSupply({
    away: await away.open(opened.share, { run, onNotice }),
    lag: away.lag,
    from: progress.update,
    updates,
    assign: (update, skills) => assignmentOf(plan, update, skills),
    version: () => model.ref.version ?? 0,
    skills: progress.skills ?? {},
    now,
    signal,
  });
}

interface Place {
  readonly dir: string;
  readonly checkpoint: string;
  readonly begun: boolean;
}

async function openModelOf(plan: TrainingPlan, place: Place): Promise<OpenedModel> {
  const { trainer, onEvent } = plan;
  if (trainer === undefined) return await openLocal({ ...plan, ...place });
  const onNotice = (message: string): void => onEvent({ kind: "notice", update: 0, message });
  return await openRemote({ ...plan, ...place, trainer, onNotice });
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
    ...(plan.away === undefined ? {} : { away: { lag: plan.away.lag, correction: { ...plan.away.correction } } }),
    // Not its address: a trainer may be started again elsewhere.
    ...(plan.trainer === undefined ? {} : { trainer: { rank: plan.trainer.rank ?? null } }),
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

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
