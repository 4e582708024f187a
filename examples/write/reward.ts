import { defineReward, option, scored, unscored } from "limbeck";

export const brevity = defineReward({
  id: "brevity",
  info: {
    title: "Brevity",
    meaning: "A success is worth more the fewer steps it took.",
    paper: "Our own",
    confidence: "practice",
    formula: ["success: R = most / steps;   failure: R = 0"],
    departures: [],
  },
  needs: [],
  options: {
    most: option.number(1, "worth of a success in one step", { above: 0 }),
  },
  score: (batch, { most }) => ({
    awards: batch.map(({ success, steps }) => {
      if (success === null) return [{ score: unscored("its outcome is not known") }];
      if (steps.length === 0) return [{ score: unscored("it has no steps") }];
      return [{ score: scored(success ? most / steps.length : 0) }];
    }),
  }),
});
