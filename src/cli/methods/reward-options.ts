/** Options that name rewards in the place of the world's own, for commands that are not operations yet. */
import { rewardInputs } from "../../run/reward.inputs.ts";
import { optionsOf } from "../options-of.ts";

export const rewardOptions = optionsOf(rewardInputs);
