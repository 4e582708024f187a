/** Losses and baselines of groups. */
import { plain, type Study } from "./study.ts";

const STEPS = "steps=8000";

export const lossStudies: Readonly<Record<string, Study>> = {
  holderpo: {
    rows: "HölderPO: the annealed exponent does not collapse at its defaults; one that stays at the first exponent beside it",
    env: "household",
    budget: STEPS,
    arms: [
      plain("grpo"),
      // A budget of steps does not tell how many updates there will be; 8,000 make about 13.
      { ...plain("holderpo", { "objective.annealSteps": 12 }), objective: "holderpo" },
      { ...plain("holderpo-constant", { "objective.annealing": "constant" }), objective: "holderpo" },
    ],
    metrics: ["loss/policy/exponent", "clipFraction", "entropy"],
  },
  // As many episodes an update as 8 groups of 8; of a group of G + 1 the median is not trained.
  "mc-grpo-2": {
    rows: "MC-GRPO: better at the end than GRPO where a task has 2 trained rollouts",
    env: "household",
    budget: STEPS,
    arms: [
      plain("grpo-2", { tasks: 32, group: 2 }),
      { ...plain("mc-grpo-2", { tasks: 21, group: 3 }), credit: "mc-grpo" },
    ],
    metrics: ["credit/droppedRollouts", "credit/medianGroups"],
  },
  "mc-grpo-4": {
    rows: "MC-GRPO: the same with 4 trained rollouts",
    env: "household",
    budget: STEPS,
    arms: [
      plain("grpo-4", { tasks: 16, group: 4 }),
      { ...plain("mc-grpo-4", { tasks: 13, group: 5 }), credit: "mc-grpo" },
    ],
    metrics: ["credit/droppedRollouts", "credit/medianGroups"],
  },
};
