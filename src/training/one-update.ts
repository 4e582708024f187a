/** One update of a training: the recipe on its workbench, what a person should know of it, and its numbers. */
import { EngineError, mean } from "../base/index.ts";
import { createGuard } from "../distill/index.ts";
import { createSchedule } from "../policy/index.ts";
import type { Strategy } from "../rollout/index.ts";
import { wasScreened } from "../skill/index.ts";
import { assignmentOf, collect, rewarded, surprise } from "../update/episodes.ts";
import type { UpdateEvent } from "./events.ts";
import { byGroup, episodesLost, isEnough, isSeen, lostWords, tally, type Trajectory } from "../trajectory/index.ts";
import type { TrainProgress } from "./checkpoint.ts";
import type { TrainingRequest } from "./loop.ts";
import { createWorkbench, type UpdateRecord } from "../update/workbench.ts";

export interface Updated {
  readonly record: UpdateRecord;
  readonly event: Omit<UpdateEvent, "spent">;
  readonly silenced: string | null;
  readonly guard: TrainProgress["guard"];
}

export async function oneUpdate(request: TrainingRequest, progress: TrainProgress, update: number): Promise<Updated> {
  const { settings, now, onEvent } = request;
  const started = now();
  const guard = createGuard({}, progress.guard);
  const skills = progress.skills ?? {};
  let supplied: Readonly<Record<string, number>> = {};
  const episodesOf = async (own: Strategy | undefined): Promise<readonly Trajectory[]> => {
    if (request.supply === undefined) return await collect(request, await assignmentOf(request, update, skills), own);
    if (own !== undefined) {
      throw new EngineError(
        "needs-unmet",
        `Episodes cannot be played elsewhere (--lag, --fleet): the recipe ${request.recipeName} plays every update in a way of its own. Leave the flag out.`,
      );
    }
    const taken = await request.supply.take(update);
    supplied = taken.metrics;
    return taken.trajectories;
  };
  const { bench, record } = createWorkbench({
    ...request,
    update,
    guard,
    silenced: progress.silenced !== null,
    // Checkpoints of earlier versions have none.
    creditState: progress.credit ?? null,
    kept: progress.recipe ?? null,
    learningRate: createSchedule({
      kind: "constant",
      learningRate: Number(settings["learningRate"]),
      warmupSteps: Number(settings["warmup"]),
    })(update - 1),
    skills,
    collect: async (own) => withEnough(update, await rewarded(request, update, await episodesOf(own))),
  });
  await request.recipe.update(bench, settings);
  request.teacher.learned();
  await request.supply?.learned(update, record.skills);
  const { episodes } = record;
  const counts = tally(episodes);
  if (counts.lost > 0) {
    const message = `Of ${episodes.length} episodes ${lostWords(counts)}. The first: ${counts.first ?? "unknown"}`;
    onEvent({ kind: "notice", update, message });
  }
  for (const message of analysisNotices(record)) onEvent({ kind: "notice", update, message });
  if (record.stopTeacher !== undefined && progress.silenced === null && settings["guard"] === true) {
    onEvent({ kind: "notice", update, message: record.stopTeacher });
  }
  return {
    record,
    event: {
      kind: "update",
      update,
      updates: request.updates,
      success: counts.solved / counts.seen,
      episodes: episodes.length,
      reward: mean(episodes.flatMap(({ reward }) => (reward.kind === "scored" ? [reward.value] : []))),
      entropy: surprise(episodes),
      metrics: { ...record.metrics, ...teacherMetrics(record), ...supplied },
      phases: record.seconds,
      seconds: (now() - started) / 1_000,
    },
    silenced: progress.silenced ?? record.stopTeacher ?? null,
    guard: guard.state,
  };
}

/** The same episodes, where enough of them are left to learn from. Nothing has been learned when this stops the run. */
function withEnough(update: number, episodes: readonly Trajectory[]): readonly Trajectory[] {
  const counts = tally(episodes);
  const groups = byGroup(episodes).map(({ trajectories }) => trajectories);
  const isAlone = groups.every(({ length }) => length < 2);
  const isCompared = isAlone || groups.some((group) => group.filter(isSeen).length > 1);
  if (counts.lost === 0 || (isEnough(counts) && isCompared)) return episodes;
  throw episodesLost(
    `Update ${update} cannot learn`,
    counts,
    "An update needs at least half of its episodes, and two of one task where tasks are played more than once. The updates before it are kept: mend the cause and continue with --resume.",
  );
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
