/** Short episodes written as a table: the state's key, the action, and what else differs. The text is the key. */
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { sampleStep, sampleTrajectory } from "./samples.ts";

export type Played = readonly [key: string, action: string, more?: Partial<Step>];

/** A win gives 10 at its last step. `first` is the index of the first step. */
export function played(id: string, success: boolean, steps: readonly Played[], first = 0): Trajectory {
  const last = steps.length - 1;
  return sampleTrajectory(id, {
    success,
    reward: scored(success ? 10 : 0),
    ending: success ? "terminated" : "truncated",
    steps: steps.map(([stateKey, action, more], at) =>
      sampleStep(first + at, {
        stateKey,
        observation: stateKey,
        action,
        reward: scored(success && at === last ? 10 : 0),
        ...more,
      }),
    ),
  });
}
