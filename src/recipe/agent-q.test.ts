import { recipeContract } from "../../test/support/recipe-contract.ts";
import { strategyEpisodes } from "../../test/support/strategy-episodes.ts";

recipeContract("agent-q", { collect: () => strategyEpisodes("agent-q") });
