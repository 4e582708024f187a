/** One update of a training: the recipe on its workbench, what a person should know of it, and its numbers. */
import { EngineError, mean } from "../base/index.ts";
import { createGuard } from "../distill/guard.ts";
import { createSchedule } from "../policy/index.ts";
import type { Strategy } from "../walk/index.ts";
import { wasScreened } from "../skill/screen/screen-analyses.ts";
import { tally, type Trajectory } from "../trajectory/index.ts";
import { lostWords, NO_ROOM } from "../trajectory/tally.ts";
import { createContext, type UpdateContext } from "../update/context.ts";
import type { Phase, UpdateRecord } from "../update/record.ts";
import { surprise } from "../update/surprise.ts";
import { flattenSettings } from "../update/settings.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { UpdateEvent } from "./events.ts";
import { vitalMetrics } from "./run-doctor.ts";
import type { Training } from "./training.ts";

export interface Updated {
  readonly context: UpdateContext;
  readonly event: Omit<UpdateEvent, "spent">;
  readonly silenced: string | null;
  readonly guard: TrainProgress["guard"];
}

export async function oneUpdate(training: Training, progress: TrainProgress, update: number): Promise<Updated> {
  const { settings, supplier, now, onEvent, onProgress, told } = training;
  const started = now();
  const guard = createGuard({}, progress.guard);
  const context = createContext({
    ...training,
    update,
    guard,
    silenced: progress.silenced !== null,
    // Checkpoints of earlier versions have none of these.
    creditState: progress.credit ?? null,
    kept: progress.recipe ?? null,
    skills: progress.skills ?? {},
    learningRate: rateOf(training, update),
    ...(onProgress === undefined ? {} : { onPhase: (phase: Phase) => onProgress(phase, update, training.updates) }),
    supply: supplier === undefined ? undefined : (own) => takeFrom(training, context, own),
  });
  const { record } = context;
  await training.recipe.update(context, flattenSettings(settings));
  training.teacher.learned();
  await supplier?.learned(update, record.skills);
  const { episodes } = record;
  const counts = tally(episodes);
  if (counts.lost > 0) {
    const message = `Of ${episodes.length} episodes ${lostWords(counts)}. The first: ${counts.first ?? "unknown"}`;
    onEvent({ kind: "notice", update, message });
  }
  const once = record.notices.filter((message) => !told.has(message));
  for (const message of once) told.add(message);
  for (const message of [...analysisNotices(record), ...once]) onEvent({ kind: "notice", update, message });
  if (record.stopTeacher !== undefined && progress.silenced === null && settings.guard === true) {
    onEvent({ kind: "notice", update, message: record.stopTeacher });
  }
  return {
    context,
    event: {
      kind: "update",
      update,
      updates: training.updates,
      success: counts.solved / counts.seen,
      episodes: episodes.length,
      reward: mean(episodes.flatMap(({ reward }) => (reward.kind === "scored" ? [reward.value] : []))),
      entropy: surprise(episodes),
      metrics: {
        ...record.metrics,
        ...(counts.lost === 0 ? {} : { "episodes/lost": counts.lost }),
        ...(counts.causes[NO_ROOM] === undefined ? {} : { "episodes/context": counts.causes[NO_ROOM] }),
        ...teacherMetrics(record),
        ...vitalMetrics(episodes, training.dialect),
      },
      phases: record.seconds,
      seconds: (now() - started) / 1_000,
    },
    silenced: progress.silenced ?? record.stopTeacher ?? null,
    guard: guard.state,
  };
}

/** Over all updates of the training, the earlier ones included. */
function rateOf({ settings, updates }: Training, update: number): number {
  const { learningRate, warmup: warmupSteps, schedule: kind, finalLearningRate } = settings;
  const length = kind === "constant" ? {} : { steps: updates, finalLearningRate };
  return createSchedule({ kind, learningRate, warmupSteps, ...length })(update - 1);
}

/** The episodes that were played elsewhere, and how stale they are. */
async function takeFrom(
  { supplier, recipeName, deadline }: Training,
  { update, record }: UpdateContext,
  own: Strategy | undefined,
): Promise<readonly Trajectory[]> {
  if (supplier === undefined || own !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `Episodes cannot be played elsewhere (--lag, --fleet): the recipe ${recipeName} plays every update in a way of its own. Leave the flag out.`,
    );
  }
  const { trajectories, metrics } = await supplier.take(update);
  deadline?.check();
  Object.assign(record.metrics, metrics);
  return trajectories;
}

/** Episodes that learn without a teacher, and why. */
function analysisNotices({ metrics, analyses }: UpdateRecord): string[] {
  const errors = [...analyses.values()].filter(({ error }) => error !== undefined);
  const say = (count: number, what: string, screened: boolean): string[] => {
    const why = errors.find((analysis) => wasScreened(analysis) === screened)?.error?.message ?? "unknown";
    return count === 0 ? [] : [`${count} analyses ${what}; their episodes learn without a teacher: ${why}`];
  };
  return [
    ...say(metrics["analyst/failed"] ?? 0, "failed", false),
    ...say(
      Math.max(metrics["analyst/screened"] ?? 0, metrics["context/screened"] ?? 0),
      "were stopped by the screen",
      true,
    ),
  ];
}

function teacherMetrics({ diagnostics, taught, analyses }: UpdateRecord): Record<string, number> {
  if (diagnostics === undefined || taught === undefined) return {};
  const { success, failure, all, active, lost } = diagnostics;
  return {
    "teacher/shift": all.mean,
    "teacher/shiftSpread": all.deviation,
    "teacher/positive": all.positive,
    "teacher/shiftSuccess": success.mean,
    "teacher/shiftFailure": failure.mean,
    "teacher/active": active,
    "teacher/lost": lost,
    "teacher/tokens": taught.tokens,
    "teacher/tokensSaved": taught.tokensSaved,
    "teacher/skilled": analyses.size,
  };
}
