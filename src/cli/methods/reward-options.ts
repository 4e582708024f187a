/** Options that name rewards in the place of the world's own; `train/given-rewards.ts` reads them. */
import { text, texts } from "../options.ts";
import { rewardNames } from "./method-names.ts";

export const rewardOptions = {
  reward: text("NAME", "A reward in the place of the world's own", rewardNames),
  "reward-set": texts("KEY=VALUE", "An option of --reward"),
  rewards: text("FILE", "Several, with weights, options and screens, as JSON or YAML"),
} as const;
