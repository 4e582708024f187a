/** Whether what a world answered is an answer. */
import { EngineError } from "../base/index.ts";
import type { Task } from "../trajectory/index.ts";
import type { StepResult } from "./env.ts";

/** The types say so, but a world of another language or an unchecked one may answer anything. */
export function checkResult({ id }: Task, { observation, reward }: StepResult): void {
  const fault =
    typeof observation !== "string"
      ? `its observation is ${observation === null ? "null" : `a ${typeof observation}`}, not a text`
      : reward?.kind === "unscored" || (reward?.kind === "scored" && Number.isFinite(reward.value))
        ? undefined
        : "its reward is neither a finite number nor unscored";
  if (fault === undefined) return;
  throw new EngineError("bad-world", `The world of task "${id}" cannot be used: ${fault}.`, { details: { task: id } });
}
