/** What is paid well though a trained scorer does not believe in it: a second opinion that the reward has not shaped. */
import { median } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { scoreValue } from "limbeck-base/trajectory/score";
import { defineScreen, severity } from "./screen.ts";

export const unforetoldReward = defineScreen({
  id: "unforetold-reward",
  info: {
    title: "Unforetold reward",
    meaning: "Trajectories that are paid well have hardly a chance of success by a trained scorer.",
    formula: [
      "looks at trajectories that are paid more than the median of the batch and that a scorer was asked about at their end; silent without a scorer",
      "speaks when minTrajectories and minShare of them have a chance below `chance`",
      "needs no success of the world: where nobody knows it, the scorer is the only one who can say so",
    ],
  },
  options: {
    severity,
    chance: option.share(0.1, "below this the scorer does not believe in it"),
    minTrajectories: option.count(4, "fewer are left alone"),
    minShare: option.share(0.75, "a smaller share of those that are paid well is left alone"),
  },
  look: ({ trajectories, foretold }, { chance, minTrajectories, minShare }) => {
    if (foretold === undefined) return [];
    const known = trajectories.flatMap(({ id, reward }) => {
      const [paid, said] = [scoreValue(reward), foretold.get(id)];
      return paid === undefined || said === undefined ? [] : [{ id, paid, said }];
    });
    if (known.length === 0) return [];
    const usual = median(known.map(({ paid }) => paid));
    const well = known.filter(({ paid }) => paid > usual);
    const doubted = well.filter(({ said }) => said < chance);
    if (doubted.length < minTrajectories || doubted.length < minShare * well.length) return [];
    const message = `${doubted.length} of ${well.length} trajectories that are paid more than ${usual.toFixed(3)} have a chance below ${chance} by the scorer. Read them: the reward pays for something else, or the scorer was trained on another policy.`;
    return [
      {
        message,
        evidence: { paidWell: well.length, doubted: doubted.length, examples: doubted.slice(0, 5).map(({ id }) => id) },
      },
    ];
  },
});
