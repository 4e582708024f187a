/** One recording that is still open: its lines so far, and the trajectory they make. */
import type { Feedback, RecordedCall, RecordedEnd } from "../store/formats/recorded-lines.ts";
import { recordedTrajectory, type Recording } from "../store/formats/recorded-trajectory.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { continuationId, type Stored } from "./stored.ts";

export interface Open {
  readonly id: string;
  readonly calls: RecordedCall[];
  readonly feedback: Feedback[];
  end?: RecordedEnd;
  lastMs: number;
  bytes: number;
}

export function linesOf(open: Open): string[] {
  const feedback = open.feedback.map((item) => ({ limbeck: "feedback", v: 1, trajectory: open.id, ...item }));
  return [...open.calls, ...feedback, ...(open.end === undefined ? [] : [open.end])].map((line) =>
    JSON.stringify(line),
  );
}

/** Nothing where every call is stored already; the rest as a branch where some are. */
export function toTrajectory(open: Open, stored: Stored | undefined): Trajectory[] {
  const { id, end, feedback } = open;
  const calls = open.calls.filter((call) => stored?.calls.has(call.call) !== true);
  if (calls.length === 0) return [];
  const recording: Recording = {
    id: stored === undefined ? id : continuationId(id, stored.steps),
    calls,
    feedback,
    ...(end === undefined ? {} : { end }),
    ...(stored === undefined ? {} : { continues: { trajectory: stored.last, steps: stored.steps } }),
  };
  return [recordedTrajectory(recording)];
}

export function rest(trajectory: Trajectory, stored: Stored): Trajectory {
  return {
    ...trajectory,
    id: continuationId(trajectory.id, stored.steps),
    parent: { trajectory: stored.last, step: stored.steps },
    steps: trajectory.steps.slice(stored.steps),
  };
}
