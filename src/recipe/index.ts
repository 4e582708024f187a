/** Recipe: one readable file for each way to train. */
export { fittingStrategy } from "./settings.ts";
export { POLICY_LOSSES } from "./settings.ts";
export { defineRecipe, type Recipe } from "./recipe.ts";
export { getRecipe, recipes, type RecipeId } from "./registry.ts";
export { resolveSettings, type SettingsRequest } from "./settings.ts";
