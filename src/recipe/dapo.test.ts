import { recipeContract } from "./recipe.contract.ts";

recipeContract("dapo");
