/**
 * The training around a recipe's updates: the same tasks, validation, checkpoints and records for every recipe. It can
 * be killed at any moment; resumed from its last checkpoint it ends with the same parameters.
 */
import { isAbort, throwIfAborted } from "../base/index.ts";
import { createGuard, type Teacher } from "../distill/index.ts";
import type { Demonstrator, Env } from "../env/index.ts";
import { evaluate, summarise, type Evaluation } from "../eval/evaluate.ts";
import type { Dialect, Policy, Scorer } from "../policy/index.ts";
import { stopOnFindings, summariseUpdate } from "../reward/index.ts";
import type { Strategy, StrategyNeed } from "../rollout/index.ts";
import type { Analyst } from "../skill/index.ts";
import type { RunWriter } from "../store/store.ts";
import { episodesLost, tally, type Task, type Trajectory } from "../trajectory/index.ts";
import type { Supply } from "./asynchronous.ts";
import type { Correction } from "../update/correction.ts";
import { added, noted, tasksOf } from "../update/episodes.ts";
import type { EndEvent, EvaluationEvent, NoticeEvent, Spent, TrainEvent } from "./events.ts";
import { oneUpdate } from "./one-update.ts";
import { agentWith } from "../update/play.ts";
import { probeTeacher } from "../update/probe.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { Recipe } from "../recipe/recipe.ts";
import { recordUpdate } from "./record-update.ts";
import { newFindings, screenUpdate } from "./screening.ts";
import type { Settings } from "../recipe/settings.ts";
import { injectionOf } from "../update/teacher-settings.ts";
import type { TrainedModel } from "./trained-model.ts";
import type { UpdateRecord } from "../update/workbench.ts";

export interface ValidationPlan {
  /** Updates between two validations; 0 for none. */
  readonly every: number;
  readonly tasks: number;
  readonly split: string;
  /** Also before the first update and after the last, for curves that begin and end; no unless told. */
  readonly ends?: boolean;
}

export interface TrainingRequest {
  readonly run: string;
  readonly recipeName: string;
  readonly recipe: Recipe;
  readonly credit: string;
  readonly settings: Settings;
  readonly env: Env;
  /** Who can show how a task is done: providers and strategies may ask. */
  readonly demonstrator?: Demonstrator | undefined;
  readonly model: TrainedModel;
  /** Numbers that learn. */
  readonly parameters: number;
  readonly dialect: Dialect;
  /** The policy at the start of the run, which a resumed run has again. */
  readonly start: Scorer;
  /** Which episodes are walked; it may remember things from update to update. */
  readonly strategy: Strategy & { readonly needs?: readonly StrategyNeed[] };
  /** Where episodes come from that are played elsewhere, and what is done about their age; played here unless told. */
  readonly supply?: Supply;
  readonly correction?: Correction;
  readonly analyst: Analyst;
  /** Gives the episodes of an update other rewards than the world's, before anybody looks at them. */
  readonly reward?: (episodes: readonly Trajectory[]) => Promise<readonly Trajectory[]>;
  readonly teacher: Teacher;
  /** The teacher as a policy that acts; made when first asked for. */
  readonly teacherPolicy: () => Policy;
  readonly updates: number;
  readonly seed: number;
  /**
   * Validation chooses and watches; the tasks of `report` are only looked at before the first and after the last
   * update, and not at all where there are none.
   */
  readonly validation: ValidationPlan;
  readonly report: Pick<ValidationPlan, "tasks" | "split">;
  /** Temperature of validation and report. */
  readonly evaluationTemperature: number;
  /** Ends the training once validation reaches this success; null: never. */
  readonly stopAt: number | null;
  /** Ends the training after the update with which so much has been spent; never unless told. */
  readonly enough?: (spent: Spent) => boolean;
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

export async function runTraining(given: TrainingRequest): Promise<EndEvent> {
  const notices: NoticeEvent[] = [];
  const onEvent = (event: TrainEvent): void => {
    if (event.kind === "notice") notices.push(event);
    given.onEvent(event);
  };
  const request: TrainingRequest = { ...given, onEvent };
  const { env, parameters, updates, writer, now } = request;
  const from = request.progress.update;
  const clock = now();
  let progress = request.progress;
  const earlier = progress.spent.seconds;
  const seconds = (): number => earlier + (now() - clock) / 1_000;
  const recipe = request.recipeName;
  onEvent({ kind: "start", run: request.run, recipe, env: env.id, parameters, from, updates });

  const reportTasks = await tasksOf(env, request.report.split, 0, request.report.tasks);
  const validationTasks = await tasksOf(env, request.validation.split, 0, request.validation.tasks);
  const judge = async (kind: EvaluationEvent["kind"], update: number, tasks: readonly Task[]): Promise<Evaluation> => {
    if (tasks.length === 0) return summarise([]);
    const { evaluation, trajectories } = await evaluate({
      env: worldOf(request, progress, "evaluation"),
      tasks,
      agent: agentWith(request, request.evaluationTemperature, progress.skills),
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
    // Nothing is stored of a report without a figure, so that it is measured again when the run is resumed.
    if (evaluation.success === null && kind !== "validation") {
      throw episodesLost(
        `Success on held-out tasks ${kind} the training has no figure`,
        tally(trajectories),
        "At least half must be seen. The weights are kept: mend the cause and continue with --resume.",
      );
    }
    if (request.stored.has(storedKey(kind, update))) return evaluation;
    if (kind !== "validation") {
      for (const trajectory of trajectories) await writer.append(noted(trajectory, { phase: kind, update }));
    }
    await writer.addEvent("evaluation", { phase: kind, update, ...evaluation });
    await writer.commit();
    return evaluation;
  };

  const save = (): Promise<void> => request.save({ ...progress, spent: { ...progress.spent, seconds: seconds() } });
  if (progress.before === null) {
    progress = { ...progress, before: await judge("before", 0, reportTasks) };
    await save();
  }
  const { every, ends = false } = request.validation;
  const validated = (update: number, evaluation: Evaluation): TrainProgress => ({
    ...progress,
    validations: [...progress.validations, { update, evaluation }],
  });
  if (ends && progress.update === 0 && progress.validations.length === 0) {
    progress = validated(0, await judge("validation", 0, validationTasks));
    await save();
  }
  const over = ({ update, spent }: Pick<TrainProgress, "update" | "spent">): boolean =>
    update >= updates || request.enough?.(spent) === true;
  let reason: EndEvent["reason"] = "finished";
  for (let update = from + 1; !over(progress); update += 1) {
    throwIfAborted(request.signal);
    const { version } = request.model.ref;
    const world = worldOf(request, progress, "training");
    const { record, event, silenced, guard } = await oneUpdate({ ...request, env: world }, progress, update).catch(
      async (error: unknown) => {
        // Before its first step the weights are those of the update before, which is worth keeping. What went wrong is
        // told, not what may come of that.
        if (!isAbort(error) && request.model.ref.version === version) await save().catch(() => undefined);
        throw error;
      },
    );
    const history = [...progress.history, summariseUpdate(update, record.episodes)];
    const findings = screenUpdate(request.settings, record.episodes, history);
    const fresh = newFindings(findings, progress.screensTold);
    for (const { screen, message } of fresh) onEvent({ kind: "notice", update, message: `${screen}: ${message}` });
    const screensTold = [...progress.screensTold, ...fresh.map(({ screen }) => screen)];
    const updateSeconds = progress.spent.updateSeconds + event.seconds;
    const spent = { ...added(progress.spent, record), updateSeconds, seconds: seconds() };
    const said = { ...event, spent };
    if (!request.stored.has(storedKey("update", update))) await recordUpdate(writer, record, said, notices);
    notices.length = 0;
    onEvent(said);
    const strategy = request.strategy.save?.() ?? null;
    const { creditState: credit, kept: recipeState, skills } = record;
    const carried = { strategy, credit, recipe: recipeState, skills };
    progress = { ...progress, ...carried, update, spent, silenced, guard, history, screensTold };
    const last = over(progress);
    if (last ? ends : every > 0 && update % every === 0) {
      const stopped = await probe(request, progress, record);
      if (stopped !== undefined) progress = { ...progress, ...stopped };
      const evaluation = await judge("validation", update, validationTasks);
      progress = validated(update, evaluation);
      const { success } = evaluation;
      if (request.stopAt !== null && success !== null && success >= request.stopAt) reason = "early-stop";
    }
    const stops = findings.some(({ severity }) => severity === "stop");
    if (stops || reason === "early-stop" || last || update % request.checkpointEvery === 0) {
      await save();
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

/** The world of a recipe that changes it. */
function worldOf(
  { recipe, env, settings }: TrainingRequest,
  { recipe: kept = null }: TrainProgress,
  phase: "training" | "evaluation",
): Env {
  return recipe.world?.(env, settings, kept, phase) ?? env;
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
  const { solved, seen } = tally(episodes);
  const { success } = evaluation;
  const guard = createGuard({}, progress.guard);
  const why = settings["guard"] === true && success !== null ? guard.probe(update, success, solved / seen) : undefined;
  if (!request.stored.has(storedKey("probe", update))) {
    await writer.addMetrics(update, {
      ...(success === null ? {} : { "teacher/probeSuccess": success }),
      "teacher/probeTasks": evaluation.tasks,
    });
    await writer.addEvent("evaluation", { phase: "probe", update, ...evaluation });
  }
  onEvent({ kind: "probe", update, evaluation });
  if (why !== undefined && progress.silenced === null) onEvent({ kind: "notice", update, message: why });
  return { silenced: progress.silenced ?? why ?? null, guard: guard.state };
}
