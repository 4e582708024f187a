/**
 * A training in its folder. The folder is a run of the store (episodes, skills, metrics, events) that also holds the
 * checkpoint: the model itself, in `model/`, or the name of one on a trainer, in `remote/`.
 */
import { createHash, randomUUID } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { startRunning, type Running } from "limbeck-base/base/running";
import { isThere } from "limbeck-base/base/files";
import { isObjectAddress } from "limbeck-base/base/object-address";
import { type CreditOf, strategySettings, fittingStrategy } from "limbeck-core/recipe/settings";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { createStrategy } from "limbeck-core/rollout/registry";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Policy } from "limbeck-policy/policy/policy";
import type { StatisticName } from "limbeck-policy/policy/objective";
import type { Writer } from "limbeck-core/skill/skill";
import { createPolicyWriter, openWriter } from "limbeck-core/skill/writer/open-writer";
import { localFiles } from "limbeck-store/store/local-files";
import { lockRun, type RunLock } from "limbeck-store/store/run-lock";
import type { RunWriter } from "limbeck-store/store/store";
import type { JsonObject } from "limbeck-base/base/json";
import { spokenDialect } from "limbeck-core/update/agent";
import { courseSettings, type Settings } from "limbeck-core/update/settings";
import { createDeadline } from "limbeck-core/update/deadline";
import { providers } from "limbeck-core/update/providers/index";
import type { Supply } from "./asynchronous.ts";
import { supplyOf } from "./play-ahead.ts";
import { freshProgress, readProgress } from "./checkpoint.ts";
import type { EndEvent, TrainEvent } from "./events.ts";
import { openLocal } from "./local.ts";
import { runTraining } from "./loop.ts";
import type { OpenedModel } from "./opened-model.ts";
import type { TrainingPlan, TrainOptions } from "./options.ts";
import { planTraining } from "./plan.ts";
import { noRecords, type Records } from "./records.ts";
import { openRemote } from "./remote.ts";
import { unlearnedWarnings } from "./unlearned.ts";
import { writerAsker } from "./writer-asker.ts";

/** Groups of a task that a strategy is given of other runs: the newest, since older ones fall out of the clip range. */
const POOL_GROUPS = 2;

export interface Trained extends EndEvent {
  /** Folder of the run. */
  readonly dir: string;
  /** Folder of the trained model; with a trainer that keeps adapters, of the adapter. */
  readonly model: string;
}

/** Trains a policy: a recipe, in a world, from a model. */
export function train<const Name extends RecipeId = "opid", const Method extends string = CreditOf<Name>>(
  options: TrainOptions<Name, Method> = {},
): Running<Trained, TrainEvent> {
  return startRunning(async (emit) => {
    const given = options as TrainOptions<RecipeId, string>;
    const plan = await planTraining(given);
    const end = await throughRestarts({ ...plan, onEvent: emit }, () => planTraining({ ...given, dir: plan.dir }));
    const adapter = plan.trainer !== undefined && plan.trainer.rank !== 0;
    return { ...end, dir: resolve(plan.dir), model: join(resolve(plan.dir), adapter ? "adapter" : "model") };
  }, options.onEvent);
}

/** Restarts of a trainer, one after the other without an update in between, after which it is given up. */
const RESTARTS = 3;

/**
 * A trainer that was restarted knows its checkpoints, and nothing else. The training goes on from the last one; what was
 * played since is played again.
 */
async function throughRestarts(first: TrainingPlan, planAgain: () => Promise<TrainingPlan>): Promise<EndEvent> {
  const { onEvent } = first;
  let [reached, idle] = [0, 0];
  let plan: TrainingPlan = {
    ...first,
    onEvent: (event) => {
      if (event.kind === "update") [reached, idle] = [event.update, 0];
      onEvent(event);
    },
  };
  for (;;) {
    try {
      return await runPlan(plan);
    } catch (error) {
      idle += 1;
      const { code } = errorData(error);
      const there = await isThere(join(resolve(plan.dir), "remote"));
      if (plan.trainer === undefined || code !== "trainer-forgot" || !there || idle > RESTARTS) throw error;
      const message = "The trainer was restarted and forgot its models; the training goes on from its last checkpoint.";
      onEvent({ kind: "notice", update: reached, message });
      plan = { ...(await planAgain()), onEvent: plan.onEvent, resume: true };
    }
  }
}

/** The same from a plan in which everything is decided. */
export async function runPlan(plan: TrainingPlan): Promise<EndEvent> {
  const deadline = createDeadline(plan.budget, plan.now);
  const dir = resolve(plan.dir);
  const checkpoint = join(dir, plan.trainer === undefined ? "model" : "remote");
  const { keep } = plan;
  const run = basename(dir);
  const store = plan.store ?? dirname(dir);
  const there = keep ? await (await import("./kept-records.ts")).holdsRun(store, run) : await isThere(checkpoint);
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
  const begun = there && (await isThere(checkpoint));
  let records: Records | undefined;
  let supply: Supply | undefined;
  let chat: Writer | undefined;
  const keepRecords = (): Promise<Records> => holdRecords(plan, { dir, store, run, there, config });
  // A run that is there is held before its checkpoint is read; a new one is begun when everything else is in order.
  if (there) records = await keepRecords();
  const opened = await openModelOf(plan, { dir, checkpoint, begun }).catch(async (error: unknown) => {
    await records?.close();
    throw error;
  });
  const { held, model } = opened;
  try {
    const settings = fitSettings(plan.settings, model.statistics, (message) =>
      plan.onEvent({ kind: "notice", update: 0, message }),
    );
    const { rewards } = plan;
    const course = { fingerprint, config, rewards: rewards?.stored };
    const progress = held === undefined ? freshProgress(course, plan.carried) : readProgress(held, course);
    if (progress.references !== undefined && progress.references !== null) rewards?.load(progress.references);
    await plan.onBegin?.(progress.update);
    records ??= await keepRecords();
    const strategy =
      plan.strategy ?? createStrategy(plan.names.strategy, strategySettings(plan.settings, plan.names.strategy));
    if (progress.strategy !== null) strategy.load?.(progress.strategy);
    const { collector } = plan;
    const asks = collector?.asks === true;
    if (asks && plan.textWriter === undefined) chat = await openWriter("chat", { environment: plan.environment });
    const writing = plan.textWriter ?? chat;
    const asker = asks && writing !== undefined ? writerAsker(writing) : undefined;
    const { teacher, acting } = await opened.teach(progress.update);
    supply = await supplyOf(plan, { opened, strategy, progress, run });
    const end = await runTraining({
      ...plan,
      settings,
      warnings: warningsOf(plan),
      ...(supply === undefined ? {} : { supplier: supply }),
      ...(plan.away === undefined || plan.away.lag === 0 ? {} : { correction: plan.away.correction }),
      ...(rewards === undefined ? {} : { reward: rewards.give }),
      run,
      deadline,
      recipeName: plan.names.recipe,
      strategyName: plan.names.strategy,
      providers,
      model,
      parameters: opened.parameters,
      start: opened.start,
      strategy,
      pool: records.pool?.(POOL_GROUPS * plan.settings.group),
      ...(collector === undefined ? {} : { collecting: (ledger) => collector.strategy(ledger, asker) }),
      teacher,
      teacherPolicy: acting,
      dialect: spokenDialect(opened.dialect, plan.settings),
      ...(plan.writesItself === true ? { ownWriter: await ownWriter(model, opened.dialect) } : {}),
      progress,
      writer: records.writer,
      stored: records.stored,
      told: new Set(),
      save: opened.save,
      digest: opened.digest,
      ...(plan.keep ? { keepBest: opened.keepBest } : {}),
    });
    await opened.finish?.();
    await finish(records.writer, end);
    return end;
  } finally {
    await supply?.close();
    await chat?.close?.();
    await plan.textWriter?.close?.();
    await plan.rewards?.close();
    await plan.outcomeScorer?.close?.();
    await records?.close();
    await opened.close();
  }
}

/** The records of the run, held by its own lock, or by that of the folder where it has none. */
async function holdRecords(
  plan: TrainingPlan,
  {
    dir,
    store,
    run,
    there,
    config,
  }: {
    readonly dir: string;
    readonly store: string;
    readonly run: string;
    readonly there: boolean;
    readonly config: JsonObject;
  },
): Promise<Records> {
  const lock = isInStore(plan, dir) ? undefined : await lockFolder(dir);
  try {
    const kept = plan.keep
      ? await (await import("./kept-records.ts")).openRecords(store, run, { there, config })
      : noRecords(run);
    const close = async (): Promise<void> => {
      try {
        await kept.close();
      } finally {
        await lock?.release();
      }
    };
    return { ...kept, close };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/** Whether the folder of the training is that of its run in the store, so that one lock holds both. */
function isInStore({ keep, store }: TrainingPlan, dir: string): boolean {
  return keep && (store === undefined || (!isObjectAddress(store) && resolve(store) === dirname(dir)));
}

async function lockFolder(dir: string): Promise<RunLock> {
  return await lockRun(localFiles(dirname(dir)), basename(dir), `${process.pid}-${randomUUID()}`, () => new Date());
}

/** Of what was chosen in the place of the recipe's own, and of the recipe where nothing was. */
function warningsOf({ names, recipe, env, settings }: TrainingPlan): readonly string[] {
  const { credit, strategy } = names;
  const { name: objective } = settings.objective;
  const { train = Infinity } = env.splits;
  const few =
    settings.tasks.count > train
      ? [
          `An update asks for ${settings.tasks.count} tasks (setting tasks), and the split "train" of ${env.id} has ${train}: every update plays each of them once.`,
        ]
      : [];
  const unlearned = unlearnedWarnings({
    env: env.id,
    recipe: names.recipe,
    credit: credit === recipe.credit ? undefined : credit,
    strategy: strategy === fittingStrategy(credit, recipe).name ? undefined : strategy,
    objective,
  });
  return [...few, ...unlearned];
}

/** One writer for the whole run, that samples from the policy of each update. */
async function ownWriter(model: Policy, dialect: Dialect): Promise<(policy: Policy) => Writer> {
  let speaking = model;
  const writer = await createPolicyWriter({ policy: () => speaking, dialect });
  return (policy) => {
    speaking = policy;
    return writer;
  };
}

interface RunFolder {
  readonly dir: string;
  readonly checkpoint: string;
  readonly begun: boolean;
}

async function openModelOf(plan: TrainingPlan, place: RunFolder): Promise<OpenedModel> {
  const { trainer, onEvent } = plan;
  if (trainer === undefined) return await openLocal({ ...plan, ...place });
  const onNotice = (message: string): void => onEvent({ kind: "notice", update: 0, message });
  return await openRemote({ ...plan, ...place, trainer, onNotice });
}

/** What decides the course of the run, as it is stored; a resumed run must have the same. */
function configOf(plan: TrainingPlan): JsonObject {
  const { names, settings, seed, updates, validation, report, evaluationTemperature, stopAt } = plan;
  return {
    ...names,
    ...(plan.rewards === undefined ? {} : { rewards: plan.rewards.stored }),
    model: plan.model,
    seed,
    updates,
    settings: courseSettings(settings),
    validation: { ...validation },
    report: { ...report },
    evaluationTemperature,
    stopAt,
    ...(plan.away === undefined ? {} : { away: { lag: plan.away.lag, correction: { ...plan.away.correction } } }),
    // Not its address: a trainer may be started again elsewhere.
    ...(plan.lora === undefined ? {} : { lora: plan.lora }),
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
    ...(end.digest === undefined ? {} : { digest: end.digest }),
  });
  await writer.close();
}

// What the settings need of the model, looked at before anything is played.

/**
 * The settings as this model can train by them. A teacher with its whole distribution is reduced to the sampled
 * token where the model gives no others, with a notice; what has no substitute is refused.
 */
function fitSettings(
  settings: Settings,
  statistics: readonly StatisticName[],
  onNotice: (message: string) => void,
): Settings {
  const lacks = (name: StatisticName): boolean => !statistics.includes(name);
  if (settings.entropyWeight > 0 && lacks("entropy")) {
    throw new EngineError(
      "missing-statistic",
      `entropyWeight is ${settings.entropyWeight}, and the model tells no entropy; it tells: ${statistics.join(", ")}. Leave the setting out, or train in this process.`,
    );
  }
  const { divergenceWeight, form = "" } = settings;
  const isWide = divergenceWeight !== undefined && ["forward", "reverse"].includes(form);
  if (!isWide || !lacks("divergence") || !lacks("candidates")) return settings;
  onNotice(
    `form=${form} compares whole distributions, which this trainer does not tell; the teacher speaks by the sampled token, as with --set form=shift.`,
  );
  return { ...settings, form: "shift" };
}
