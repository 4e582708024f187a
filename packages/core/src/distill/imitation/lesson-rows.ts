/** Lessons as rows to learn from, in the exact context in which the step was met. */
import { concat } from "limbeck-base/base/concat";
import { type Dialect, endsItself } from "limbeck-policy/policy/dialect";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { createForest, type Forest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { trajectoryNamed, placedAnswers } from "../pairs/answers.ts";
import type { Lesson } from "./lesson.ts";

export interface LessonRowOptions {
  readonly dialect: Dialect;
  /** Longer rows are left out. */
  readonly maxTokens: number;
  /** Weight of a token that comes after the answer. Default: 1. A few words of action drown in a long text otherwise. */
  readonly afterWeight?: number;
  /** Of the trajectories, for callers who have it. Default: it is built. */
  readonly forest?: Forest;
}

export interface LessonRows {
  readonly rows: readonly TrainRow[];
  /** Lessons that gave no row: without tokens, with nothing to learn, or too long. */
  readonly lost: number;
}

/**
 * Rows that teach what the lessons say, one for each lesson that has the tokens of its context.
 *
 * @example
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 - 4</answer>" });
 * const { trajectories } = await rollout({ env: "countdown", policy, tasks: 1, group: 1 });
 * const lessons = trajectories.map(({ id }) => ({ trajectory: id, step: 0, answer: "<answer>10 + 9 + 4</answer>", learnAnswer: true }));
 * const { rows, lost } = buildLessonRows(lessons, trajectories, { dialect: plainDialect(policy.tokenizer), maxTokens: 1000 });
 * console.log(rows.length, lost); // 1 0
 */
export function buildLessonRows(
  lessons: readonly Lesson[],
  trajectories: readonly Trajectory[],
  options: LessonRowOptions,
): LessonRows {
  const { forest = createForest(trajectories) } = options;
  const rows = lessons.flatMap((lesson) => lessonRow(lesson, forest, options) ?? []);
  return { rows, lost: lessons.length - rows.length };
}

function lessonRow(lesson: Lesson, forest: Forest, options: LessonRowOptions): TrainRow | undefined {
  const { dialect, maxTokens, afterWeight = 1 } = options;
  const trajectory = trajectoryNamed(forest, lesson.trajectory, "a lesson");
  const [placed] = placedAnswers(forest, trajectory, [lesson.step]);
  const [span] = placed?.spans ?? [];
  if (placed === undefined || span === undefined) return undefined;
  const context = placed.ids.subarray(0, span.start);
  const answer = lesson.answer === undefined ? placed.ids.subarray(span.start, span.end) : dialect.reply(lesson.answer);
  const after = lesson.after === undefined ? undefined : wordsOf(lesson.after, answer, dialect);
  const parts = [context, answer, ...(after === undefined ? [] : [after.ids])];
  const length = parts.reduce((total, part) => total + part.length, 0);
  if (length > maxTokens) return undefined;
  const ids = concat(Int32Array, parts);
  const mask = new Uint8Array(length);
  const said = context.length + answer.length;
  if (lesson.learnAnswer) mask.fill(1, context.length, said);
  if (after !== undefined) mask.fill(1, said + after.start, said + after.end);
  if (!mask.includes(1)) return undefined;
  const weights = afterWeight === 1 ? {} : { weights: new Float64Array(length).fill(1).fill(afterWeight, said) };
  return { ids, mask, ...weights, trajectory: lesson.trajectory, step: lesson.step };
}

/** The next message and where its words stand in it: what surrounds them is the form of a turn, the same every time. */
function wordsOf(
  text: string,
  answer: Int32Array,
  dialect: Dialect,
): { readonly ids: Int32Array; readonly start: number; readonly end: number } {
  const turn = { cut: !endsItself(answer, dialect) };
  const [ids, empty] = [dialect.turn(text, turn), dialect.turn("", turn)];
  let start = 0;
  while (start < empty.length && ids[start] === empty[start]) start += 1;
  let tail = 0;
  while (tail < empty.length - start && ids.at(-1 - tail) === empty.at(-1 - tail)) tail += 1;
  return { ids, start, end: ids.length - tail };
}
