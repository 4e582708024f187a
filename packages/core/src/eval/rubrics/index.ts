/** Rubrics: named checks of whole trajectories, and how often successes and failures show each. */
import { ignoredObservations } from "./ignored-observations.ts";
import { loops } from "./loops.ts";
import { needlessSteps } from "./needless-steps.ts";
import { recovery } from "./recovery.ts";
import type { Rubric } from "./rubric.ts";
import { stateSlips } from "./state-slips.ts";

/** Every rubric. A new one is a file, a test, a line here and a line in docs/lookup/evaluate.md. */
export const rubrics = {
  "ignored-observations": ignoredObservations,
  loops,
  "needless-steps": needlessSteps,
  recovery,
  "state-slips": stateSlips,
} as const satisfies Record<string, Rubric>;
