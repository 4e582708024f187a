/** Walks for rubrics, written as "state: observation > action", with "!" before an action the world refused. */
import type { RubricWalk } from "../../packages/core/src/eval/rubrics/rubric.ts";
import { sampleStep } from "./samples.ts";

export function walkOf(lines: readonly string[], more: Partial<RubricWalk> = {}): RubricWalk {
  const steps = lines.map((line, index) => {
    const [, stateKey = "", observation = "", refused, action = ""] = /^(\w+): (.*) > (!?)(.*)$/.exec(line) ?? [];
    return sampleStep(index, { stateKey, observation, action, valid: refused !== "!" });
  });
  const verbs = new Set(["go", "take", "look", "open"]);
  return { goal: "find the cup", steps, success: false, closing: undefined, verbs, ...more };
}
