/** Recipe: one readable file for each way to train. */
export { fittingStrategy } from "./fitting-strategy.ts";
export { POLICY_LOSSES } from "./objective-settings.ts";
export { defineRecipe, type Recipe } from "./recipe.ts";
export { getRecipe, recipes, type RecipeId } from "./registry.ts";
export { resolveSettings, type SettingsRequest } from "./settings.ts";
