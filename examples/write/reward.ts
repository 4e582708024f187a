import { z } from "zod";
import { defineReward } from "../../src/reward/index.ts";
import { scored, unscored } from "../../src/trajectory/index.ts";

export const brevity = defineReward({
  id: "brevity",
  title: "Brevity",
  summary: "A success is worth more the fewer steps it took.",
  paper: "Our own",
  confidence: "practice",
  formula: ["success: R = most / steps;   failure: R = 0"],
  departures: [],
  needs: [],
  options: z.strictObject({
    most: z.number().positive().default(1).describe("worth of a success in one step"),
  }),
  score: (batch, { most }) => ({
    awards: batch.map(({ success, steps }) => {
      if (success === null) return [{ score: unscored("nobody said whether it succeeded") }];
      if (steps.length === 0) return [{ score: unscored("it has no steps") }];
      return [{ score: scored(success ? most / steps.length : 0) }];
    }),
  }),
});
