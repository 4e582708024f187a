/** What the teacher of each row thinks of its tokens, for methods in which every row has one teacher. */
import type { CreditRow, IndexedBatch } from "./credit.ts";
import { teacherSources } from "./opid.ts";
import { teacherAdvantages } from "./teacher.ts";

export interface TeacherShift {
  /** log teacher - log old of each trained token; 0 where there is no teacher. */
  readonly shifts: readonly Float64Array[];
  /** 1 for rows that have a teacher. */
  readonly taught: Uint8Array;
}

/** What `teacherShift` reads, and when. */
export const TEACHER_NEEDS = {
  episodeTeacher: "rows that have a teacher",
  stepTeacher: "steps that have a teacher of their own",
  oldLogprobs: "rows that have a teacher",
} as const;

const ONE_EACH = { episodeWeight: 1, stepWeight: 1, teacherMode: "step_priority" } as const;
const AS_IT_IS = { normalize: false, clip: null };

/** The step's own teacher where it has one, else the episode's. */
export function teacherShift(batch: IndexedBatch): TeacherShift {
  const sources = batch.rows.map((row) => teacherSources(row, ONE_EACH));
  const [useEpisode, useStep] = [
    Uint8Array.from(sources, ({ episode }) => Number(episode)),
    Uint8Array.from(sources, ({ step }) => Number(step)),
  ];
  const episode = teacherAdvantages(batch, "episodeTeacher", useEpisode, AS_IT_IS);
  const step = teacherAdvantages(batch, "stepTeacher", useStep, AS_IT_IS);
  return {
    shifts: episode.map((values, at) => (useStep[at] === 1 ? (step[at] as Float64Array) : values)),
    taught: Uint8Array.from(sources, ({ episode: one, step: other }) => Number(one || other)),
  };
}

/** How many rows have no teacher, and how far off the policy is where there is one. */
export function shiftMetrics({ rows }: IndexedBatch, { shifts, taught }: TeacherShift): Record<string, number> {
  let [tokens, sum] = [0, 0];
  eachTaught(rows, taught, (at, token) => {
    tokens += 1;
    sum += (shifts[at] as Float64Array)[token] as number;
  });
  return {
    untaughtRows: taught.reduce((total, one) => total + 1 - one, 0),
    teacherKl: tokens === 0 ? 0 : -sum / tokens,
  };
}

export function eachTaught(
  rows: readonly CreditRow[],
  taught: Uint8Array,
  visit: (row: number, token: number) => void,
): void {
  for (let at = 0; at < rows.length; at += 1) {
    if (taught[at] === 0) continue;
    const { mask } = rows[at] as CreditRow;
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) visit(at, token);
  }
}

export interface TokenPlace {
  /** Row of the batch. */
  readonly at: number;
  readonly token: number;
}

/** The trained tokens of a trajectory, a list for each of its steps, in order. */
export function stepTokens({ rows, index }: IndexedBatch, trajectory: number): TokenPlace[][] {
  const steps = index.ordered.subarray(index.offsets[trajectory], index.offsets[trajectory + 1]);
  return Array.from(steps, (at) => {
    const { mask } = rows[at] as CreditRow;
    return [...mask.keys()].filter((token) => mask[token] === 1).map((token) => ({ at, token }));
  });
}

/** The same as one list. */
export function trajectoryTokens(batch: IndexedBatch, trajectory: number): TokenPlace[] {
  return stepTokens(batch, trajectory).flat();
}
