/** A text that was cut, whole. */
import { EngineError } from "limbeck-base/base/errors";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export type Field = "goal" | "closing" | "observation" | "action" | "prompt";

export function wholeText({ id, task, closing, steps }: Trajectory, field: Field, step: number | undefined): string {
  if (field === "goal") return task.goal;
  if (field === "closing") return closing?.observation ?? "";
  const own = steps.find(({ index }) => index === step);
  if (own === undefined) throw new EngineError("no-trajectory", `Trajectory "${id}" has no step ${step}.`);
  return own[field] ?? "";
}
