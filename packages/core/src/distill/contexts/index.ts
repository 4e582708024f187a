/** What a teacher may see beyond what the policy saw. */
import { lookUp } from "limbeck-base/base/registry";
import { answer } from "./answer.ts";
import type { Context } from "./context.ts";
import { feedback } from "./feedback.ts";
import { futureObservations } from "./future-observations.ts";
import { none } from "./none.ts";
import { referenceSolution } from "./reference-solution.ts";
import { skill } from "./skill.ts";

/** Every privileged context. A new one is a file, a test and a line here. */
export const contexts = {
  answer,
  feedback,
  "future-observations": futureObservations,
  none,
  "reference-solution": referenceSolution,
  skill,
} as const satisfies Record<string, Context>;
export type ContextId = keyof typeof contexts;

export function getContext(name: string): Context {
  return lookUp<Context>(contexts, name, "context");
}
