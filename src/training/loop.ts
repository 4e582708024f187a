/**
 * The training around a recipe's updates: the same tasks, validation, checkpoints and records for every recipe. It can
 * be killed at any moment; resumed from its last checkpoint it ends with the same parameters.
 */
import { EngineError, isAbort, throwIfAborted, withoutUndefined } from "../base/index.ts";
import { createGuard } from "../distill/guard.ts";
import type { Env } from "../env/index.ts";
import { evaluateAgent, summarise, type Evaluation } from "../eval/evaluate.ts";
import { stopOnFindings, summariseUpdate } from "../reward/index.ts";
import type { Writer } from "../skill/skill.ts";
import { tally, type Task } from "../trajectory/index.ts";
import { episodesLost } from "../trajectory/tally.ts";
import { agentFor, tellingSkills } from "../update/agent.ts";
import { tasksOf, withInfo } from "../update/collect.ts";
import { cut, type UpdateContext } from "../update/context.ts";
import { isTimeUp } from "../update/deadline.ts";
import { minus, plus } from "../update/ledger.ts";
import { probeTeacher } from "../update/probe.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { EndEvent, EvaluationEvent, NoticeEvent, TrainEvent } from "./events.ts";
import { oneUpdate } from "./one-update.ts";
import { recordUpdate } from "./record-update.ts";
import { withPool } from "./run-pool.ts";
import { foretoldOf, newFindings, screenUpdate } from "./screening.ts";
import { storedKey } from "./stored-key.ts";
import { effectOf, sayEffect } from "./strategy-effect.ts";
import { HEALTHY } from "./run-doctor.ts";
import { consultDoctor, sayCutAnswers, sayFallen, withBest } from "./doctor-notices.ts";
import type { Training } from "./training.ts";
import { withUnsaved } from "./unsaved.ts";

/** Ends as "budget" when the time is up: the last finished update is in the checkpoint, the one at work is given up. */
export async function runTraining(given: Training): Promise<EndEvent> {
  let [reached, finished] = [given.progress, given.progress.update];
  let cause: unknown;
  const save = async (progress: TrainProgress): Promise<void> => {
    await given.save(progress).catch((reason: unknown) => {
      cause = reason;
      throw reason;
    });
    reached = progress;
  };
  const onEvent = (event: TrainEvent): void => {
    if (event.kind === "update") finished = event.update;
    given.onEvent(event);
  };
  try {
    return await trainOn({ ...given, onEvent, save });
  } catch (error) {
    const { deadline, updates, dir } = given;
    const { update } = reached;
    const none = finished === 0 ? "No update was finished." : "No update is kept.";
    const kept = update === 0 ? none : `Update ${update} of ${updates} is kept.`;
    if (isAbort(error)) {
      const message = `Stopped. ${kept} Go on with --resume --dir "${dir}" and otherwise the same options.`;
      given.onEvent({ kind: "notice", update, message });
    }
    if (!isTimeUp(error, deadline)) throw withUnsaved(error, { finished, saved: update, cause });
    throw new EngineError(
      "budget",
      `The budget of ${deadline.seconds} seconds is spent. ${kept} Go on with --resume and the same options.`,
      { details: { seconds: deadline.seconds, update, updates }, cause: error },
    );
  }
}

async function trainOn(given: Training): Promise<EndEvent> {
  const notices: NoticeEvent[] = [];
  const onEvent = (event: TrainEvent): void => {
    if (event.kind === "notice") notices.push(event);
    given.onEvent(event);
  };
  const training: Training = { ...given, onEvent };
  const { env, parameters, updates, writer, now, recipeName: recipe, run } = training;
  const { every } = training.validation;
  // The best weights are chosen among the start and the end too; a training that never validates has none.
  const { ends = every > 0 && every < updates && training.keepBest !== undefined } = training.validation;
  let progress = training.progress;
  const [from, clock, earlier] = [progress.update, now(), progress.spent.seconds];
  const seconds = (): number => earlier + (now() - clock) / 1_000;
  onEvent({ kind: "start", run, recipe, env: env.id, parameters, from, updates });
  if (from === 0) for (const message of training.warnings ?? []) onEvent({ kind: "notice", update: 0, message });

  const reportTasks = await tasksOf(env, training.report.split, 0, training.report.tasks);
  const validationTasks = await tasksOf(env, training.validation.split, 0, training.validation.tasks);
  /** The update that the checkpoint holds. */
  let kept = progress.before === null ? undefined : progress.update;
  const save = async (): Promise<void> => {
    await training.save({ ...progress, spent: { ...progress.spent, seconds: seconds() } });
    kept = progress.update;
  };
  const saveFinished = async (): Promise<void> => {
    if (kept !== progress.update) await save();
  };
  const validate = async (): Promise<Evaluation> => {
    const { update, validations } = progress;
    const evaluation = await judge(training, progress, "validation", validationTasks);
    const told = { ...progress, validations: [...validations, { update, evaluation }] };
    progress = await withBest(training, told, evaluation.success);
    return evaluation;
  };
  progress = await withPool(training, progress);
  if (progress.before === null) {
    // What it says is stored with the evaluation, not with the first update.
    const before = await judge({ ...training, onEvent: given.onEvent }, progress, "before", reportTasks);
    progress = { ...progress, before, doctor: { ...HEALTHY, told: training.told.has("cut") ? ["cut"] : [] } };
    await save();
  }
  if (ends && progress.update === 0 && progress.validations.length === 0) {
    await validate();
    await save();
  }
  const over = ({ update, spent }: Pick<TrainProgress, "update" | "spent">): boolean =>
    update >= updates || training.enough?.(spent) === true;
  let reason: EndEvent["reason"] = "finished";
  for (let update = from + 1; !over(progress); update += 1) {
    await timeLeft(training, saveFinished);
    const { version } = training.model.ref;
    const before = progress;
    const worldAs = (_: Env, writer: Writer | undefined): Env => worldOf(training, before, "training", writer);
    // Where the time may be up in the middle of learning, the weights before it are kept first.
    const inTime = training.deadline === undefined ? {} : { beforeLearning: saveFinished };
    const { context, event, silenced, guard } = await oneUpdate(
      { ...training, ...inTime, worldAs },
      progress,
      update,
    ).catch(async (error: unknown) => {
      // Before its first step the weights are those of the update before, which is worth keeping. Where that fails,
      // `runTraining` says so beside the error.
      if (training.model.ref.version === version) await saveFinished().catch(() => undefined);
      throw error;
    });
    const { record, ledger } = context;
    const history = [...progress.history, summariseUpdate(update, record.episodes)];
    const foretold = await foretoldOf(training, record.episodes);
    const findings = screenUpdate(training, record.episodes, history, foretold);
    const fresh = newFindings(findings, progress.screensTold);
    for (const { screen, message } of fresh) onEvent({ kind: "notice", update, message: `${screen}: ${message}` });
    const { doctor, collapsed } = consultDoctor(training, progress, event);
    const screensTold = [...progress.screensTold, ...fresh.map(({ screen }) => screen)];
    const updateSeconds = progress.spent.updateSeconds + event.seconds;
    const spent = { ...plus(progress.spent, ledger.cost), updateSeconds, seconds: seconds() };
    const said = { ...event, spent };
    if (!training.stored.has(storedKey("update", update))) await recordUpdate(writer, record, said, notices);
    notices.length = 0;
    onEvent(said);
    const strategy = training.strategy.save?.() ?? null;
    const { creditState: credit, kept, skills } = record;
    const effect = (progress.effect ?? 0) + effectOf(training, said);
    const references = training.rewards?.save() ?? null;
    const carried = { strategy, credit, recipe: kept, skills, references };
    progress = { ...progress, ...carried, update, spent, silenced, guard, history, screensTold, effect, doctor };
    const last = over(progress);
    const saves = last || update % training.checkpointEvery === 0;
    if (last ? ends : every > 0 && update % every === 0) {
      // After the last update there is no teacher left to silence.
      if (!last) progress = { ...progress, ...(await probe(training, progress, context)) };
      const { success } = await validate();
      if (training.stopAt !== null && success !== null && success >= training.stopAt) reason = "early-stop";
    }
    if (update === training.report.midway && !last) await judge(training, progress, "midway", reportTasks);
    const stops = collapsed !== undefined || findings.some(({ severity }) => severity === "stop");
    if (stops || reason === "early-stop" || saves) await save();
    stopOnFindings(findings);
    if (collapsed !== undefined) throw new EngineError("training-collapsed", collapsed, { details: { update } });
    if (reason === "early-stop") break;
  }
  await sayEffect(training, progress);
  const after = await judge(training, progress, "after", reportTasks);
  sayFallen(training, progress, after);
  const before = progress.before as Evaluation;
  const spent = { ...progress.spent, seconds: seconds() };
  const digest = withoutUndefined({ digest: training.digest?.() });
  const end: EndEvent = { kind: "end", reason, update: progress.update, before, after, spent, ...digest };
  onEvent(end);
  return end;
}

/** Between two updates: where the time is up or somebody stops it, the finished one is kept first. */
async function timeLeft({ deadline, signal }: Training, saveFinished: () => Promise<void>): Promise<void> {
  try {
    throwIfAborted(signal);
    deadline?.check();
  } catch (error) {
    await saveFinished();
    throw error;
  }
}

/** How well the policy does on these tasks now, told and stored. */
async function judge(
  training: Training,
  progress: TrainProgress,
  kind: EvaluationEvent["kind"],
  tasks: readonly Task[],
): Promise<Evaluation> {
  const { seed, signal, evaluationTemperature: temperature, onProgress, onEvent, stored, writer } = training;
  const { deadline, now } = training;
  const { update, skills } = progress;
  if (tasks.length === 0) return summarise([]);
  const { evaluation, trajectories } = await evaluateAgent({
    env: cut(worldOf(training, progress, "evaluation", training.textWriter), training.settings.maxSteps),
    tasks,
    agent: agentFor(training, { temperature, tell: tellingSkills(skills) }),
    // The same draws before and after, so that a difference is the policy's.
    seed: `${seed} ${kind === "validation" ? kind : "report"}`,
    // The same task may be met before, during and after the training.
    prefix: `${kind}-${update}/`,
    signal,
    ...(deadline === undefined ? {} : { budget: { seconds: deadline.left() }, now }),
    ...(onProgress === undefined ? {} : { onProgress: (done: number, total: number) => onProgress(kind, done, total) }),
  });
  // A figure of the tasks that were reached in time would not compare with the others.
  deadline?.check();
  onEvent({ kind, update, evaluation });
  const cutAnswers = kind === "before" ? sayCutAnswers(training, trajectories) : undefined;
  // Nothing is stored of a report without a figure, so that it is measured again when the run is resumed.
  const isEnd = kind === "before" || kind === "after";
  if (evaluation.success === null && isEnd) {
    throw episodesLost(
      `Success on held-out tasks ${kind} the training has no figure`,
      tally(trajectories),
      "At least half must be seen. The weights are kept: mend the cause and continue with --resume.",
    );
  }
  if (stored.has(storedKey(kind, update))) return evaluation;
  if (isEnd) {
    for (const trajectory of trajectories) await writer.append(withInfo(trajectory, { phase: kind, update }));
  }
  await writer.addEvent("evaluation", { phase: kind, update, ...evaluation });
  if (cutAnswers !== undefined) await writer.addEvent("notice", { update, message: cutAnswers });
  await writer.commit();
  return evaluation;
}

/** The world of a recipe that changes it. */
function worldOf(
  { recipe, env, settings }: Training,
  { recipe: kept = null }: TrainProgress,
  phase: "training" | "evaluation",
  writer: Writer | undefined,
): Env {
  return recipe.world?.(env, settings, kept, phase, writer) ?? env;
}

/** Asks the teacher to act on the skills it taught from; nothing changes when there was no teacher this update. */
async function probe(
  training: Training,
  progress: TrainProgress,
  context: UpdateContext,
): Promise<Partial<Pick<TrainProgress, "silenced" | "guard" | "spent">>> {
  const { settings, writer, onEvent } = training;
  const { update } = progress;
  const { record, ledger } = context;
  if (record.taught === undefined) return {};
  const before = ledger.cost;
  const evaluation = await probeTeacher(context, training.evaluationTemperature);
  if (evaluation === undefined) return {};
  const spent = { ...progress.spent, ...plus(progress.spent, minus(ledger.cost, before)) };
  const { solved, seen } = tally(record.episodes);
  const { success } = evaluation;
  const guard = createGuard({}, progress.guard);
  const why = settings["guard"] === true && success !== null ? guard.probe(update, success, solved / seen) : undefined;
  if (!training.stored.has(storedKey("probe", update))) {
    await writer.addMetrics(update, {
      ...(success === null ? {} : { "teacher/probeSuccess": success }),
      "teacher/probeTasks": evaluation.tasks,
    });
    await writer.addEvent("evaluation", { phase: "probe", update, ...evaluation });
  }
  onEvent({ kind: "probe", update, evaluation });
  if (why !== undefined && progress.silenced === null) onEvent({ kind: "notice", update, message: why });
  return { silenced: progress.silenced ?? why ?? null, guard: guard.state, spent };
}
