import { recipeContract } from "../../../../test/support/recipe-contract.ts";

recipeContract("skill1");
