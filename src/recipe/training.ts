/**
 * The training around a recipe's updates: the same tasks, validation, checkpoints and records for every recipe. It can
 * be killed at any moment; resumed from its last checkpoint it ends with the same parameters.
 */
import { mean, throwIfAborted } from "../base/index.ts";
import { createGuard, getTeacher, type Teacher } from "../distill/index.ts";
import type { Env } from "../env/index.ts";
import { evaluate, type Evaluation } from "../eval/index.ts";
import { createSchedule, type Dialect, type Policy } from "../policy/index.ts";
import type { LocalModel, Weights } from "../policy/local/index.ts";
import { stopOnFindings, summariseUpdate } from "../reward/index.ts";
import type { Strategy } from "../rollout/index.ts";
import type { Analyst } from "../skill/index.ts";
import type { RunWriter } from "../store/store.ts";
import type { Task } from "../trajectory/index.ts";
import { added, agentOf, collect, noted, surprise, tasksOf } from "./episodes.ts";
import type { EndEvent, EvaluationEvent, NoticeEvent, TrainEvent, UpdateEvent } from "./events.ts";
import { probeTeacher } from "./probe.ts";
import type { TrainProgress } from "./progress.ts";
import type { Recipe } from "./recipe.ts";
import { recordUpdate } from "./record-update.ts";
import { newFindings, screenUpdate } from "./screening.ts";
import type { Settings } from "./settings.ts";
import { injectionOf } from "./teacher-settings.ts";
import { createWorkbench, type UpdateRecord } from "./workbench.ts";

export interface ValidationPlan {
  /** Updates between two validations; 0 for none. */
  readonly every: number;
  readonly tasks: number;
  readonly split: string;
}

export interface TrainingRequest {
  readonly run: string;
  readonly recipeName: string;
  readonly recipe: Recipe;
  readonly credit: string;
  readonly settings: Settings;
  readonly env: Env;
  readonly model: LocalModel;
  readonly dialect: Dialect;
  /** Weights at the start of the run, which a resumed run reads again. */
  readonly start: Weights;
  /** Which episodes are walked; it may remember things from update to update. */
  readonly strategy: Strategy;
  readonly analyst: Analyst;
  readonly teacher: Teacher;
  /** The teacher as a policy that acts; made when first asked for. */
  readonly teacherPolicy: () => Policy;
  readonly updates: number;
  readonly seed: number;
  /** Validation chooses and watches; the tasks of `report` are only looked at before the first and after the last update. */
  readonly validation: ValidationPlan;
  readonly report: Omit<ValidationPlan, "every">;
  /** Temperature of validation and report. */
  readonly evaluationTemperature: number;
  /** Ends the training once validation reaches this success; null: never. */
  readonly stopAt: number | null;
  readonly checkpointEvery: number;
  readonly progress: TrainProgress;
  /** What an interrupted run has already stored, as `storedKey` names it. */
  readonly stored: ReadonlySet<string>;
  readonly writer: RunWriter;
  /** Saves model, teacher and progress. */
  readonly save: (progress: TrainProgress) => Promise<void>;
  readonly onEvent: (event: TrainEvent) => void;
  readonly onProgress?: (label: string, done: number, total: number) => void;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The teacher a recipe's settings name; recipes without one get the start, which nobody asks. */
export function teacherOf(settings: Settings, model: LocalModel, start: Weights): Teacher {
  const { teacher = "reference", teacherDecay = 0 } = settings;
  return getTeacher(String(teacher)).create(model, { start, decay: Number(teacherDecay) });
}

export async function runTraining(given: TrainingRequest): Promise<EndEvent> {
  const notices: NoticeEvent[] = [];
  const onEvent = (event: TrainEvent): void => {
    if (event.kind === "notice") notices.push(event);
    given.onEvent(event);
  };
  const request: TrainingRequest = { ...given, onEvent };
  const { env, model, updates, writer, now } = request;
  const from = request.progress.update;
  const clock = now();
  let progress = request.progress;
  const earlier = progress.spent.seconds;
  const seconds = (): number => earlier + (now() - clock) / 1_000;
  const parameters = model.weights.flat.length;
  const recipe = request.recipeName;
  onEvent({ kind: "start", run: request.run, recipe, env: env.id, parameters, from, updates });

  const reportTasks = await tasksOf(env, request.report.split, 0, request.report.tasks);
  const validationTasks = await tasksOf(env, request.validation.split, 0, request.validation.tasks);
  const judge = async (kind: EvaluationEvent["kind"], update: number, tasks: readonly Task[]): Promise<Evaluation> => {
    const { evaluation, trajectories } = await evaluate({
      env,
      tasks,
      agent: agentOf(request, request.evaluationTemperature),
      // The same draws before and after, so that a difference is the policy's.
      seed: `${request.seed} ${kind === "validation" ? kind : "report"}`,
      // The same task may be met before, during and after the training.
      prefix: `${kind}-${update}/`,
      signal: request.signal,
      ...(typeof request.settings["maxSteps"] === "number" ? { maxSteps: request.settings["maxSteps"] } : {}),
      ...(request.onProgress === undefined
        ? {}
        : { onProgress: (done: number, total: number) => request.onProgress?.(kind, done, total) }),
    });
    onEvent({ kind, update, evaluation });
    if (request.stored.has(storedKey(kind, update))) return evaluation;
    if (kind !== "validation") {
      for (const trajectory of trajectories) await writer.append(noted(trajectory, { phase: kind, update }));
    }
    await writer.addEvent("evaluation", { phase: kind, update, ...evaluation });
    await writer.commit();
    return evaluation;
  };

  if (progress.before === null) {
    const before = await judge("before", 0, reportTasks);
    progress = { ...progress, before, spent: { ...progress.spent, seconds: seconds() } };
    await request.save(progress);
  }
  let reason: EndEvent["reason"] = "finished";
  for (let update = from + 1; update <= updates; update += 1) {
    throwIfAborted(request.signal);
    const { record, event, silenced, guard } = await oneUpdate(request, progress, update);
    const history = [...progress.history, summariseUpdate(update, record.episodes)];
    const findings = screenUpdate(request.settings, record.episodes, history);
    const fresh = newFindings(findings, progress.screensTold);
    for (const { screen, message } of fresh) onEvent({ kind: "notice", update, message: `${screen}: ${message}` });
    const screensTold = [...progress.screensTold, ...fresh.map(({ screen }) => screen)];
    const spent = { ...added(progress.spent, record), seconds: seconds() };
    const said = { ...event, spent };
    if (!request.stored.has(storedKey("update", update))) await recordUpdate(writer, record, said, notices);
    notices.length = 0;
    onEvent(said);
    const strategy = request.strategy.save?.() ?? null;
    progress = { ...progress, update, spent, silenced, guard, strategy, history, screensTold };
    const { every } = request.validation;
    const due = every > 0 && update % every === 0 && update < updates;
    if (due) {
      const stopped = await probe(request, progress, record);
      if (stopped !== undefined) progress = { ...progress, ...stopped };
      const evaluation = await judge("validation", update, validationTasks);
      progress = { ...progress, validations: [...progress.validations, { update, evaluation }] };
      if (request.stopAt !== null && evaluation.success >= request.stopAt) reason = "early-stop";
    }
    const stops = findings.some(({ severity }) => severity === "stop");
    if (stops || reason === "early-stop" || update === updates || update % request.checkpointEvery === 0) {
      await request.save({ ...progress, spent: { ...progress.spent, seconds: seconds() } });
    }
    stopOnFindings(findings);
    if (reason === "early-stop") break;
  }
  const after = await judge("after", progress.update, reportTasks);
  const spent = { ...progress.spent, seconds: seconds() };
  const end: EndEvent = {
    kind: "end",
    reason,
    update: progress.update,
    before: progress.before as Evaluation,
    after,
    spent,
  };
  onEvent(end);
  return end;
}

/** Names what becomes visible in one commit. */
export function storedKey(kind: string, update: number): string {
  return `${kind} ${update}`;
}

/** Asks the teacher to act on the skills it taught from; undefined when there was no teacher this update. */
async function probe(
  request: TrainingRequest,
  progress: TrainProgress,
  { episodes, analyses, rescored }: UpdateRecord,
): Promise<Pick<TrainProgress, "silenced" | "guard"> | undefined> {
  if (rescored === undefined) return undefined;
  const { settings, signal, writer, onEvent } = request;
  const { update } = progress;
  const evaluation = await probeTeacher({
    env: request.env,
    policy: request.teacherPolicy(),
    dialect: request.dialect,
    answerTokens: Number(settings["answerTokens"]),
    temperature: request.evaluationTemperature,
    episodes,
    analyses,
    injection: injectionOf(settings),
    seed: `${request.seed} probe ${update}`,
    signal,
  });
  if (evaluation === undefined) return undefined;
  const own = mean(episodes.map(({ success }) => Number(success === true)));
  const guard = createGuard({}, progress.guard);
  const why = settings["guard"] === true ? guard.probe(update, evaluation.success, own) : undefined;
  if (!request.stored.has(storedKey("probe", update))) {
    await writer.addMetrics(update, {
      "teacher/probeSuccess": evaluation.success,
      "teacher/probeTasks": evaluation.tasks,
    });
    await writer.addEvent("evaluation", { phase: "probe", update, ...evaluation });
  }
  onEvent({ kind: "probe", update, evaluation });
  if (why !== undefined && progress.silenced === null) onEvent({ kind: "notice", update, message: why });
  return { silenced: progress.silenced ?? why ?? null, guard: guard.state };
}

interface Updated {
  readonly record: UpdateRecord;
  readonly event: Omit<UpdateEvent, "spent">;
  readonly silenced: string | null;
  readonly guard: TrainProgress["guard"];
}

async function oneUpdate(request: TrainingRequest, progress: TrainProgress, update: number): Promise<Updated> {
  const { settings, model, now, onEvent } = request;
  const started = now();
  const guard = createGuard({}, progress.guard);
  const start = model.scorerWith(request.start);
  const { bench, record } = createWorkbench({
    ...request,
    update,
    start,
    guard,
    silenced: progress.silenced !== null,
    learningRate: createSchedule({
      kind: "constant",
      learningRate: Number(settings["learningRate"]),
      warmupSteps: Number(settings["warmup"]),
    })(update - 1),
    collect: () => collect(request, update),
  });
  await request.recipe.update(bench, settings);
  request.teacher.learned();
  const { episodes } = record;
  const lost = episodes.filter(({ ending }) => ending === "failed");
  if (lost.length > 0) {
    const why = lost[0]?.failure?.message ?? "unknown";
    onEvent({ kind: "notice", update, message: `${lost.length} of ${episodes.length} episodes were lost: ${why}` });
  }
  const failed = record.metrics["analyst/failed"] ?? 0;
  if (failed > 0) {
    const why = [...record.analyses.values()].find(({ error }) => error !== undefined)?.error?.message ?? "unknown";
    onEvent({
      kind: "notice",
      update,
      message: `${failed} analyses failed; their episodes learn without a teacher: ${why}`,
    });
  }
  if (record.stopTeacher !== undefined && progress.silenced === null && settings["guard"] === true) {
    onEvent({ kind: "notice", update, message: record.stopTeacher });
  }
  return {
    record,
    event: {
      kind: "update",
      update,
      updates: request.updates,
      success: mean(episodes.map(({ success }) => Number(success === true))),
      episodes: episodes.length,
      reward: mean(episodes.flatMap(({ reward }) => (reward.kind === "scored" ? [reward.value] : []))),
      entropy: surprise(episodes),
      metrics: { ...record.metrics, ...teacherMetrics(record) },
      phases: record.seconds,
      seconds: (now() - started) / 1_000,
    },
    silenced: progress.silenced ?? record.stopTeacher ?? null,
    guard: guard.state,
  };
}

function teacherMetrics({ diagnostics, rescored, analyses }: UpdateRecord): Record<string, number> {
  if (diagnostics === undefined || rescored === undefined) return {};
  const { success, failure, all, active, lost } = diagnostics;
  return {
    "teacher/shift": all.mean,
    "teacher/shiftSpread": all.deviation,
    "teacher/positive": all.positive,
    "teacher/shiftSuccess": success.mean,
    "teacher/shiftFailure": failure.mean,
    "teacher/active": active,
    "teacher/lost": lost,
    "teacher/tokens": rescored.tokens,
    "teacher/tokensSaved": rescored.tokensSaved,
    "teacher/skilled": analyses.size,
  };
}
