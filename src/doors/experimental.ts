/**
 * Experimental: methods that were inferred from an abstract, where no code and no whole paper could be followed.
 * They work and are tested, and may change when more is known. Wherever a part is asked for, their names do as well.
 */
export { experimentalCredits } from "../credit/registry.ts";
export { experimentalObjectives } from "../objective/registry.ts";
export { experimentalRecipes } from "../recipe/registry.ts";
export { experimentalRewards } from "../reward/registry.ts";
export { experimentalStrategies } from "../rollout/registry.ts";
export { experimentalSearches } from "../search/registry.ts";
