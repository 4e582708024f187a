import { recipeContract } from "../../test/support/recipe-contract.ts";
import { strategyEpisodes } from "../../test/support/strategy-episodes.ts";

recipeContract("step-dpo", { collect: () => strategyEpisodes("step-dpo") });
