/** A demonstrator whose hand slips: now and then it does some accepted thing instead, and must find its way back. */
import { EngineError, pick } from "../../base/index.ts";
import type { Demonstrator } from "../expert.ts";

/**
 * `share` is the chance of a slip at every step. The demonstrator sees what was really done.
 *
 * @example
 * import { expert } from "limbeck/env/household";
 * import { createDemonstratorAgent } from "limbeck/walk";
 *
 * const policy = createDemonstratorAgent(withNoise(expert, 0.2));
 * console.log((await evaluate({ env: "household", policy, tasks: 2 })).meanSteps); // 8.5
 */
export function withNoise(demonstrator: Demonstrator, share: number): Demonstrator {
  if (!(share >= 0 && share <= 1)) {
    throw new EngineError("bad-option", `A noise share of ${share} is not a number from 0 to 1.`);
  }
  return {
    id: `${demonstrator.id} with noise ${share}`,
    summary: `${demonstrator.summary} A slip in a share of ${share} of the steps.`,
    start: (task, rng) => {
      const steady = demonstrator.start(task, rng.split("steady"));
      const slips = rng.split("slips");
      return {
        next: (seen) => {
          const meant = steady.next(seen);
          return slips.float() < share ? (pick(seen.admissible ?? [], slips) ?? meant) : meant;
        },
      };
    },
  };
}
