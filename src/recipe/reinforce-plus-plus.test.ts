import { recipeContract } from "./recipe.contract.ts";

recipeContract("reinforce-plus-plus");
