/** Learning from lessons: actions with their reasons, and predictions of what the world will say. */
import { option } from "limbeck-base/base/option";
import type { OptionTable } from "limbeck-base/base/option-table";
import { buildLessonRows } from "../distill/imitation/lesson-rows.ts";
import { THOUGHT_PLACES, type Lesson } from "../distill/imitation/lesson.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { taggedForm } from "../walk/mind/action-form.ts";
import { crossEntropy } from "../objective/cross-entropy.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { measure, type UpdateContext } from "../update/context.ts";
import { learn } from "../update/learn.ts";

export const thoughtSettings = {
  thought: option.choice(
    "after",
    THOUGHT_PLACES,
    "where a reason is learned: after the action, so that the policy acts as before, or before it, in an answer with <action> tags (raise answerTokens)",
  ),
  thoughtWeight: option.number(0.1, "weight of a token of a reason after the action; the action's tokens weigh 1", {
    least: 0,
  }),
} as const satisfies OptionTable;

/** A thought and its action as one answer, in the form in which the policy then acts. */
export function thoughtfulAnswer(thought: string, action: string): string {
  return `${thought}\n${taggedForm.write(action)}`;
}

/** Rows of lessons in their exact contexts; `afterWeight` is that of a learned token after the action. */
export function rowsOfLessons(
  update: UpdateContext,
  name: string,
  lessons: readonly Lesson[],
  episodes: readonly Trajectory[],
  afterWeight: number,
): readonly TrainRow[] {
  const {
    dialect,
    model: {
      config: { contextLength: maxTokens },
    },
  } = update;
  const { rows, lost } = buildLessonRows(lessons, episodes, { dialect, maxTokens, afterWeight });
  measure(update, { [`lessons/${name}`]: rows.length, [`lessons/${name}Lost`]: lost });
  return rows;
}

/** Makes the learned tokens of these rows more likely. */
export async function learnLessons(update: UpdateContext, rows: readonly TrainRow[]): Promise<void> {
  await learn(update, rows, { name: "policy", weight: 1, objective: crossEntropy.create({}) });
}
