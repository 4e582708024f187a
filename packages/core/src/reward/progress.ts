/**
 * Progress by potentials: dense rewards that leave the best policy as it is.
 *
 * With Phi = 0 at a true end the sum depends on the opening alone, so nothing can be gained by walking in circles.
 */
import { option } from "limbeck-base/base/option";
import { discountedReturns } from "limbeck-base/trajectory/rows";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { ownSteps } from "./each-episode.ts";
import { failureScore } from "./failure-text.ts";
import { allValues, readEpisodes } from "./read-scores.ts";
import { defineReward, type Award, type Givens } from "./reward.ts";

export const progress = defineReward({
  id: "progress",
  info: {
    title: "Progress potentials",
    meaning:
      "Pays each step for how much more promising the next state is; added to the world's reward it changes no best policy.",
    paper: "Ng, Harada and Russell 1999, policy invariance under reward transformations",
    confidence: "paper",
    source: "Ng, Harada and Russell 1999, theorem 1",
    formula: [
      "F_t = gamma * Phi(s_(t+1)) - Phi(s_t);   Phi = 0 after a true end",
      "R = sum over t of gamma^t F_t = gamma^T Phi(s_T) - Phi(s_0)",
    ],
    departures: [
      "The theorem adds F to the world's reward, for a potential of the state alone. Here F is a reward of its own, and a potential that looks at more of what it is given (the trajectory, the number of the step) is outside the theorem.",
      "An episode that was cut off, or failed, ends at the potential of its last observation, asked for without a state key; without one its last step is unscored, and the whole too. So being cut off where the potential is 0.8 is paid 0.8 more than ending there (gamma 1), which is outside the theorem.",
      "option zeroAtEnd=false keeps the potential of the end. That is progress as most code pays it, and it does change what is best.",
    ],
  },
  needs: ["potential"],
  options: {
    gamma: option.share(1, "discount; the same as that of the returns it is added to"),
    zeroAtEnd: option.flag(true, "the potential of a true end is 0"),
  },
  score: (batch, options, { potential }) => {
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const steps = episodes.steps(trajectory);
        if (typeof steps === "string") return [{ score: unscored(steps) }];
        if (steps.length === 0) return [{ score: unscored("it has no steps") }];
        const potentials = [...steps, undefined].map((step) => momentPotential(trajectory, step, potential, options));
        const shaping = steps.map((_, at) =>
          shaped(potentials[at] as Score, potentials[at + 1] as Score, options.gamma),
        );
        const values = allValues(shaping);
        const whole =
          typeof values === "string" ? unscored(values) : scored(discountedReturns(values, options.gamma)[0] ?? 0);
        return [{ score: whole }, ...ownSteps(trajectory, shaping, (score) => ({ score }))];
      }),
    };
  },
});

/** The shaping reward of one step. */
export function shapingReward(before: number, after: number, gamma: number): number {
  return gamma * after - before;
}

function shaped(before: Score, after: Score, gamma: number): Score {
  if (before.kind === "unscored") return before;
  return after.kind === "unscored" ? after : scored(shapingReward(before.value, after.value, gamma));
}

/** Before a step; after the last one where `step` is undefined. */
function momentPotential(
  trajectory: Trajectory,
  step: Step | undefined,
  potential: NonNullable<Givens["potential"]>,
  { zeroAtEnd }: { readonly zeroAtEnd: boolean },
): Score {
  if (step === undefined && trajectory.ending === "terminated" && zeroAtEnd) return scored(0);
  const observation = step?.observation ?? trajectory.closing?.observation;
  if (observation === undefined) return unscored("nobody kept what was seen after the last step");
  const index = step?.index ?? (trajectory.steps.at(-1)?.index ?? -1) + 1;
  try {
    const value = potential({ trajectory, index, observation, stateKey: step?.stateKey });
    return Number.isFinite(value) ? scored(value) : unscored(`the potential is ${value}, which is not a finite number`);
  } catch (error) {
    return failureScore("the potential", error);
  }
}
