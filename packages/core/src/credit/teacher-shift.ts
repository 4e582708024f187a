/** What the teacher of each row thinks of its tokens, for methods in which every row has one teacher. */
import { stepsOf } from "./batch-index.ts";
import { countOf, entry } from "./columns.ts";
import type { IndexedBatch } from "./credit.ts";
import { activeMean, teacherAdvantages, teachersUsed } from "./teacher.ts";
import { trainedTokens } from "./tokens.ts";

export interface TeacherShift {
  /** log teacher - log old of each trained token; 0 where there is no teacher. */
  readonly shifts: readonly Float64Array[];
  /** 1 for rows that have a teacher. */
  readonly taught: Uint8Array;
  /** Mean shift of their trained tokens; 0 without any. */
  readonly mean: number;
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
  const use = teachersUsed(batch, ONE_EACH);
  const episode = teacherAdvantages(batch, "episodeTeacher", use.episodeTeacher, AS_IT_IS);
  const step = teacherAdvantages(batch, "stepTeacher", use.stepTeacher, AS_IT_IS);
  const shifts = episode.map((values, at) => (use.stepTeacher[at] === 1 ? entry(step, at) : values));
  return { shifts, taught: use.any, mean: activeMean(batch, shifts, use.any) };
}

/** How many rows have no teacher, and how far off the policy is where there is one. */
export function shiftMetrics({ taught, mean }: TeacherShift): Record<string, number> {
  return { untaughtRows: taught.length - countOf(taught), teacherKl: mean === 0 ? 0 : -mean };
}

export interface TokenPlace {
  /** Row of the batch. */
  readonly at: number;
  readonly token: number;
}

/** The trained tokens of a trajectory, a list for each of its steps, in order. */
export function stepTokens(batch: IndexedBatch, trajectory: number): TokenPlace[][] {
  return Array.from(stepsOf(batch, trajectory), (at) =>
    trainedTokens(entry(batch.rows, at).mask).map((token) => ({ at, token })),
  );
}
