/** Every entry of the registries that the studies go through, of both tiers. */
import { bothTiers } from "../packages/base/src/base/registry.ts";
import { credits } from "limbeck/credit";
import {
  experimentalCredits,
  experimentalObjectives,
  experimentalRecipes,
  experimentalRewards,
  experimentalSearches,
  experimentalStrategies,
} from "limbeck/experimental";
import { objectives, recipes } from "limbeck/update";
import { rewards } from "limbeck/reward";
import { strategies, searches } from "limbeck/search";

export const allCredits = bothTiers(credits, experimentalCredits);
export const allObjectives = bothTiers(objectives, experimentalObjectives);
export const allRecipes = bothTiers(recipes, experimentalRecipes);
export const allRewards = bothTiers(rewards, experimentalRewards);
export const allSearches = bothTiers(searches, experimentalSearches);
export const allStrategies = bothTiers(strategies, experimentalStrategies);
