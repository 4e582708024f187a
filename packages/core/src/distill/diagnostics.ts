/** What the teacher's opinions look like this update: size, spread and sign of the shift, by outcome. */
import { deviation, mean } from "limbeck-base/base/statistics/summary";
import { labelOutcome } from "../skill/outcome.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Opinion, Rescored } from "./score-sequences.ts";

/** Of log p(teacher) - log p(policy), over tokens. NaN where there are none. */
export interface ShiftSummary {
  readonly tokens: number;
  readonly mean: number;
  readonly deviation: number;
  /** Share of the tokens that the teacher finds likelier. */
  readonly positive: number;
}

export interface TeacherDiagnostics {
  readonly success: ShiftSummary;
  readonly failure: ShiftSummary;
  readonly all: ShiftSummary;
  /** Share of the sampled tokens that have a teacher. */
  readonly active: number;
  /** Responses that should have had a teacher and have none. */
  readonly lost: number;
}

/** Old log-probabilities are those the trajectories were sampled with. */
export function diagnoseTeacher(trajectories: readonly Trajectory[], rescored: Rescored): TeacherDiagnostics {
  const shifts: Record<"success" | "failure" | "unknown", number[]> = { success: [], failure: [], unknown: [] };
  let sampled = 0;
  for (const trajectory of trajectories) {
    const opinions = rescored.opinions.get(trajectory.id);
    const label = labelOutcome(trajectory);
    for (const { index, span } of trajectory.steps) {
      if (span === undefined) continue;
      sampled += span.end - span.start;
      const teacher = wordOf(opinions?.get(index));
      const old = trajectory.streams[span.stream]?.logprobs;
      if (teacher === undefined || old === undefined) continue;
      teacher.forEach((value, token) => shifts[label].push(value - (old[span.start + token] as number)));
    }
  }
  const all = [...shifts.success, ...shifts.failure, ...shifts.unknown];
  return {
    success: summary(shifts.success),
    failure: summary(shifts.failure),
    all: summary(all),
    active: sampled === 0 ? 0 : all.length / sampled,
    lost: rescored.lost.length,
  };
}

/** The opinion that counts where both exist: the step's own. */
export function wordOf(opinion: Opinion | undefined): Float64Array | undefined {
  return opinion?.step ?? opinion?.episode;
}

function summary(values: readonly number[]): ShiftSummary {
  return {
    tokens: values.length,
    mean: mean(values),
    deviation: deviation(values),
    positive: values.length === 0 ? Number.NaN : values.filter((value) => value > 0).length / values.length,
  };
}
