import { recipeContract } from "../../test/support/recipe-contract.ts";
import { strategyEpisodes } from "../../test/support/strategy-episodes.ts";

recipeContract("lookahead", { collect: () => strategyEpisodes("lookahead") });
