/** One episode to learn from: what is read before each decision, and what is done. */
import type { Dialect, TrainRow } from "../../policy/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";

/** plain: without advice. right, wrong: a way that is told at the opening and followed. hint: one before a single decision. */
export type LessonKind = "plain" | "right" | "wrong" | "hint";

export interface Decision {
  /** The message before it, with its advice. */
  readonly message: string;
  readonly action: string;
  readonly learnt: boolean;
}

export interface Lesson {
  readonly kind: LessonKind;
  readonly decisions: readonly Decision[];
}

/** Somebody who knows the way, in one task. */
export interface Shown {
  readonly task: Task;
  readonly decisions: readonly Pick<Decision, "message" | "action">[];
}

export function shownBy({ task, steps }: Trajectory): Shown {
  return { task, decisions: steps.map(({ observation, action }) => ({ message: observation, action })) };
}

export function planOf({ decisions }: Shown): readonly string[] {
  return decisions.map(({ action }) => action);
}

/** What the world replies can be foretold in part: reading well helps acting well. The bundled models weigh it alike. */
const READING_WEIGHT = 0.15;

/** The same tokens that the policy will meet: decisions weigh 1, what the world replied a little, the opening nothing. */
export function rowOf({ decisions }: Lesson, dialect: Dialect): TrainRow {
  const ids: number[] = [];
  const weights: number[] = [];
  const add = (more: Int32Array, weight: number): void => {
    for (const id of more) {
      ids.push(id);
      weights.push(weight);
    }
  };
  for (const [at, { message, action, learnt }] of decisions.entries()) {
    if (at === 0) add(dialect.opening(message), 0);
    else add(dialect.turn(message), READING_WEIGHT);
    add(dialect.reply(action), learnt ? 1 : 0);
  }
  return {
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(weights, (weight) => (weight > 0 ? 1 : 0)),
    weights: Float64Array.from(weights),
  };
}
