/** Recipe: one readable file for each way to train. */
export { fittingStrategy } from "../update/providers/strategies.ts";
export { defineRecipe, type Recipe } from "./recipe.ts";
export { getRecipe, recipes, type RecipeId } from "./registry.ts";
export {
  resolveSettings,
  settingsTable,
  sharedSettings,
  strategySettings,
  type Settings,
  type SettingsRequest,
} from "./settings.ts";
