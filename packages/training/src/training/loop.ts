/**
 * The training around a recipe's updates: the same tasks, validation, checkpoints and records for every recipe. It can
 * be killed at any moment; resumed from its last checkpoint it ends with the same parameters.
 */
import { EngineError, isAbort, throwIfAborted, errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { createGuard } from "limbeck-core/distill/guard";
import type { Env } from "limbeck-core/env/env";
import { evaluateAgent, summarise, type Evaluation } from "limbeck-core/eval/evaluate";
import { stopOnFindings, screenRewards, screens, type ScreenSettings } from "limbeck-core/reward/screens/index";
import { summariseUpdate, type UpdateSummary } from "limbeck-core/reward/screens/history";
import type { Finding } from "limbeck-core/reward/screens/screen";
import type { Writer } from "limbeck-core/skill/skill";
import { tally, episodesLost } from "limbeck-base/trajectory/tally";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { agentFor, tellingSkills } from "limbeck-core/update/agent";
import { tasksOf, withInfo } from "limbeck-core/update/collect";
import { cut, type UpdateContext } from "limbeck-core/update/context";
import { isTimeUp } from "limbeck-core/update/deadline";
import { minus, plus } from "limbeck-core/update/ledger";
import { probeTeacher } from "limbeck-core/update/probe";
import { flattenSettings, type Settings } from "limbeck-core/update/settings";
import type { TrainProgress } from "./checkpoint.ts";
import type { EndEvent, EvaluationEvent, NoticeEvent, TrainEvent, UpdateEvent } from "./events.ts";
import { oneUpdate, recordUpdate } from "./one-update.ts";
import { storedKey } from "./stored-key.ts";
import { HEALTHY } from "./run-doctor.ts";
import { applyBrake, consultDoctor, sayCutAnswers, sayFallen, withBest } from "./doctor-notices.ts";
import type { Training } from "./training.ts";
import { poolOf, poolTasks } from "limbeck-core/update/task-pool";
import { STRATEGY_METRIC } from "limbeck-core/rollout/effect";
import { readScore } from "limbeck-core/reward/read-scores";
import type { OutcomeScorer } from "limbeck-core/walk/judge";

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
  const { env, parameters, updates, now, recipeName: recipe, run } = training;
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
    const advanced = await advance(training, progress, { update, notices, seconds, saveFinished });
    const { context, findings, collapsed, braked } = advanced;
    progress = advanced.progress;
    const last = over(progress) || braked !== undefined;
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
    if (braked !== undefined) {
      reason = "stopped";
      onEvent({ kind: "notice", update, message: braked });
      await training.writer.addEvent("notice", { update, message: braked });
    }
    if (reason !== "finished") break;
  }
  await sayEffect(training, progress);
  const after = await judge(training, progress, "after", reportTasks);
  sayFallen(training, progress, after);
  const spent = { ...progress.spent, seconds: seconds() };
  const end: EndEvent = {
    kind: "end",
    reason,
    update: progress.update,
    before: progress.before as Evaluation,
    after,
    spent,
    ...withoutUndefined({ digest: training.digest?.() }),
  };
  onEvent(end);
  return end;
}

interface Advance {
  readonly update: number;
  /** Notices since the update before; stored with this one. */
  readonly notices: NoticeEvent[];
  readonly seconds: () => number;
  readonly saveFinished: () => Promise<void>;
}

interface Advanced {
  readonly progress: TrainProgress;
  readonly context: UpdateContext;
  readonly findings: ReturnType<typeof screenUpdate>;
  /** Why the training is over for good, where the doctor says so; and where the brake does. */
  readonly collapsed: string | undefined;
  readonly braked: string | undefined;
}

/** One update: learned, checked, recorded and reported, and what is carried to the next. */
async function advance(
  training: Training,
  before: TrainProgress,
  { update, notices, seconds, saveFinished }: Advance,
): Promise<Advanced> {
  const { onEvent } = training;
  const { version } = training.model.ref;
  const worldAs = (_: Env, writer: Writer | undefined): Env => worldOf(training, before, "training", writer);
  // Where the time may be up in the middle of learning, the weights before it are kept first.
  const inTime = training.deadline === undefined ? {} : { beforeLearning: saveFinished };
  const { context, event, silenced, guard } = await oneUpdate(
    { ...training, ...inTime, worldAs },
    before,
    update,
  ).catch(async (error: unknown) => {
    // Before its first step the weights are those of the update before, which is worth keeping. Where that fails,
    // `runTraining` says so beside the error.
    if (training.model.ref.version === version) await saveFinished().catch(() => undefined);
    throw error;
  });
  const { record, ledger } = context;
  const history = [...before.history, summariseUpdate(update, record.episodes)];
  const foretold = await foretoldOf(training, record.episodes);
  const findings = screenUpdate(training, record.episodes, history, foretold);
  const fresh = newFindings(findings, before.screensTold);
  for (const { screen, message } of fresh) onEvent({ kind: "notice", update, message: `${screen}: ${message}` });
  const { doctor, collapsed } = consultDoctor(training, before, event);
  const { brake, ends: braked } = applyBrake(training, before, event);
  const screensTold = [...before.screensTold, ...fresh.map(({ screen }) => screen)];
  const updateSeconds = before.spent.updateSeconds + event.seconds;
  const spent = { ...plus(before.spent, ledger.cost), updateSeconds, seconds: seconds() };
  const finished = { ...event, spent };
  if (!training.stored.has(storedKey("update", update))) await recordUpdate(training.writer, record, finished, notices);
  notices.length = 0;
  onEvent(finished);
  const strategy = training.strategy.save?.() ?? null;
  const { creditState: credit, kept, skills } = record;
  const effect = (before.effect ?? 0) + effectOf(training, finished);
  const references = training.rewards?.save() ?? null;
  const carried = { strategy, credit, recipe: kept, skills, references };
  const progress = {
    ...before,
    ...carried,
    update,
    spent,
    silenced,
    guard,
    history,
    screensTold,
    effect,
    doctor,
    brake,
  };
  return { progress, context, findings, collapsed, braked };
}

/** Between two updates: when the time is up or the signal fires, the finished one is saved first. */
async function timeLeft({ deadline, signal }: Training, saveFinished: () => Promise<void>): Promise<void> {
  try {
    throwIfAborted(signal);
    deadline?.check();
  } catch (error) {
    await saveFinished();
    throw error;
  }
}

/** How well the policy does on these tasks now, reported and stored. */
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
  return recipe.world?.(env, flattenSettings(settings), kept, phase, writer) ?? env;
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
  const why = settings.guard === true && success !== null ? guard.probe(update, success, solved / seen) : undefined;
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

// The pool of tasks of a run, kept with it, so that a resumed run is known to have the same.

/** Progress that knows its pool; a pool that is not the one of the run is refused. */
async function withPool(training: Training, progress: TrainProgress): Promise<TrainProgress> {
  const pool = poolOf(training);
  // Only a pool is drawn; a whole split is what it is.
  if (pool?.drawn === undefined) return progress;
  const tasks = (await poolTasks(training.env, pool)).map(({ id }) => id);
  const other = progress.pool?.find((id, at) => id !== tasks[at]);
  if (other !== undefined) {
    throw new EngineError(
      "other-training",
      `The run's pool of tasks holds "${other}", which the world's training tasks do not have in its place: the world has changed since the run began. Take the world of then, or start a new run.`,
    );
  }
  if (!training.stored.has(storedKey("pool", 0))) {
    await training.writer.addEvent("pool", { update: 0, tasks });
  }
  return { ...progress, pool: tasks };
}

// Whether the strategy of a run did anything: its own number over all updates, and a line at the end where it is 0.

/** The strategy's number in one update. */
function effectOf({ strategy: { effect } }: Training, { metrics }: Pick<UpdateEvent, "metrics">): number {
  return effect === undefined ? 0 : (metrics[STRATEGY_METRIC + effect.name] ?? 0);
}

/** Reported and stored where every update had none. */
async function sayEffect(training: Training, { update, effect: total = 0 }: TrainProgress): Promise<void> {
  const { strategy, strategyName, collecting, recipe, writer, onEvent } = training;
  const { effect } = strategy;
  const isPlayed = collecting === undefined && recipe.playsItself !== true;
  if (effect === undefined || !isPlayed || update === 0 || total > 0) return;
  const message = `The strategy ${strategyName} had no effect in this run: ${effect.counts}, ${STRATEGY_METRIC}${effect.name}, stayed 0 over ${update} updates. ${effect.remedy}`;
  onEvent({ kind: "notice", update, message });
  await writer.addEvent("notice", { update, message });
}

// The error of a training that stops, with the finished updates that its checkpoint lacks.

interface Unsaved {
  /** The last update that is finished. */
  readonly finished: number;
  /** The one that the checkpoint holds. */
  readonly saved: number;
  /** Why saving failed; undefined: the weights were no longer those of a finished update. */
  readonly cause: unknown;
}

/** Code, details and cause stay those of the error: what went wrong first is what is to be mended. */
function withUnsaved(error: unknown, { finished, saved, cause }: Unsaved): unknown {
  if (saved === finished) return error;
  const lost = finished === saved + 1 ? `Update ${finished} is` : `Updates ${saved + 1} to ${finished} are`;
  const reason = cause === undefined ? "the next one had changed the weights already" : errorData(cause).message;
  const why = cause === error ? "" : ` (${reason.replace(/\.$/, "")})`;
  const { code, message, details = {} } = errorData(error);
  const summary = `${message} ${lost} not saved${why}: the checkpoint holds update ${saved}. With --resume it goes on from there.`;
  return EngineError.from({ code: isAbort(error) ? "cancelled" : code, message: summary, details }, error);
}

// The screens against gamed rewards, beside every training.

interface Screened {
  readonly settings: Pick<Settings, "screens">;
  /** Options of single screens, with the rewards of the run. */
  readonly rewards?: {
    readonly screens: ScreenSettings;
    readonly partScreens?: Readonly<Record<string, ScreenSettings>>;
  };
}

/** What the screens find in an update, with the severity that the settings ask for. */
export function screenUpdate(
  { settings: { screens: severity }, rewards }: Screened,
  trajectories: readonly Trajectory[],
  history: readonly UpdateSummary[],
  foretold?: ReadonlyMap<string, number>,
): Finding[] {
  if (severity === "off") return [];
  const each = Object.keys(screens).map((name) => {
    const own = rewards?.screens[name] ?? {};
    return [name, own === false ? own : { severity, ...own }] as const;
  });
  const ofParts = Object.entries(rewards?.partScreens ?? {}).flatMap(([part, settings]) =>
    screenPart(trajectories, part, settings, severity),
  );
  return [...screenRewards({ trajectories, history, foretold }, Object.fromEntries(each)), ...ofParts];
}

/**
 * What the scorer of the run says of whole episodes at their end. Only where rewards are not the world's own, which a
 * scorer of outcomes has nothing to add to; what it cannot read, and a scorer that fails, have no opinion.
 */
export async function foretoldOf(
  {
    rewards,
    outcomeScorer,
    settings: { screens: severity },
    signal,
  }: Screened & { readonly outcomeScorer?: OutcomeScorer | undefined; readonly signal?: AbortSignal },
  trajectories: readonly Trajectory[],
): Promise<ReadonlyMap<string, number> | undefined> {
  const isOff = severity === "off" || rewards?.screens["unforetold-reward"] === false;
  if (rewards === undefined || outcomeScorer === undefined || outcomeScorer.ofSteps === true || isOff) return undefined;
  const whole = trajectories.flatMap(({ id, parent, steps, streams }) => {
    const span = steps.at(-1)?.span;
    const ids = parent !== undefined || span === undefined ? undefined : streams[span.stream]?.ids;
    return ids === undefined ? [] : [{ id, context: ids.subarray(0, span?.end) }];
  });
  const odds = await outcomeScorer
    .scoreTokens(
      whole.map(({ context }) => context),
      signal,
    )
    .catch((): number[] => []);
  return new Map(whole.flatMap(({ id }, at) => (Number.isFinite(odds[at]) ? [[id, odds[at] as number] as const] : [])));
}

/** The screens that are named for one reward, as if it alone were trained on. */
function screenPart(
  trajectories: readonly Trajectory[],
  part: string,
  settings: ScreenSettings,
  severity: string,
): Finding[] {
  const alone = trajectories.map((own): Trajectory => ({ ...own, reward: readScore(own, part) }));
  const each = Object.keys(screens).map((name) => {
    const own = settings[name] ?? false;
    return [name, own === false ? own : { severity, ...own }] as const;
  });
  return screenRewards({ trajectories: alone }, Object.fromEntries(each)).map((finding) => ({
    ...finding,
    screen: `${finding.screen} of ${part}`,
  }));
}

/** Findings of screens without an earlier one: the same warning in every update would drown the rest. */
export function newFindings(findings: readonly Finding[], told: readonly string[]): Finding[] {
  const seen = new Set(told);
  return findings.filter(({ screen }) => {
    if (seen.has(screen)) return false;
    seen.add(screen);
    return true;
  });
}
