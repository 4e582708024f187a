/**
 * Experimental: methods that were inferred from an abstract, where no code and no whole paper could be followed.
 * They work and are tested, and may change when more is known. Wherever a part is asked for, their names do as well.
 */
export { experimentalCredits } from "limbeck-core/credit/registry";
export { experimentalObjectives } from "limbeck-core/objective/registry";
export { experimentalRecipes } from "limbeck-core/recipe/registry";
export { experimentalRewards } from "limbeck-core/reward/registry";
export { experimentalStrategies } from "limbeck-core/rollout/registry";
export { experimentalSearches } from "limbeck-core/search/registry";
