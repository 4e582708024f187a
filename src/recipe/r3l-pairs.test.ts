import { recipeContract } from "../../test/support/recipe-contract.ts";
import { strategyEpisodes } from "../../test/support/strategy-episodes.ts";

recipeContract("r3l-pairs", { collect: () => strategyEpisodes("r3l-pairs") });
