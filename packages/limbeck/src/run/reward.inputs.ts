/** Rewards in the place of the world's own; `given-rewards.ts` reads them. */
import { input } from "limbeck-base/base/input";
import { rewardPart } from "limbeck-core/recipe/methods.part";

export const rewardInputs = {
  reward: input.part(rewardPart, "NAME", "A reward in the place of the world's own"),
  rewardOptions: input.values("KEY=VALUE", "An option of --reward", { flag: "reward-set" }),
  rewards: input.path("FILE", "Several, with weights, options and screens, as JSON or YAML"),
};
