/** JSON schema of a whole training: its options, and the settings of the chosen recipe and methods. */
import { optionsSchema } from "limbeck-base/base/option-schema";
import type { JsonObject } from "limbeck-base/base/json";
import { envs } from "limbeck-worlds/index";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { settingsTable } from "limbeck-core/recipe/settings";
import { rewardPlanSchema } from "limbeck-core/reward/plan-file";
import type { TrainOptions } from "./options.ts";
import { chosenMethods, DEFAULTS } from "./plan.ts";

/**
 * What a file for `limbeck train --config` holds. The names that were chosen are fixed in it: other methods have other
 * settings.
 *
 * @example
 * const schema = trainingSchema({ recipe: "grpo", credit: "gigpo" });
 * console.log(Object.keys(schema)); // [ "$schema", "title", "type", "properties", "additionalProperties" ]
 */
export function trainingSchema(
  names: Pick<TrainOptions<RecipeId, string>, "recipe" | "credit" | "strategy" | "collect" | "objective">,
): JsonObject {
  const { recipeName, recipe, creditName, credit, strategyName } = chosenMethods(names);
  const { objective, collect } = names;
  const presets = Object.keys(recipe.presets);
  const text = (description: string): JsonObject => ({ type: "string", minLength: 1, description });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `A training with the recipe ${recipeName}`,
    type: "object",
    properties: {
      recipe: { const: recipeName, description: recipe.info.meaning },
      ...(presets.length === 0 ? {} : { preset: { enum: presets, description: "a named set of settings" } }),
      credit: { const: creditName, description: credit.info.meaning },
      ...(typeof collect === "string"
        ? { collect: { const: collect, description: "the search that collects episodes" } }
        : { strategy: { const: strategyName, description: "which episodes are walked" } }),
      ...(objective === undefined ? {} : { objective: { const: objective, description: "the policy loss" } }),
      reward: rewardPlanSchema(),
      env: { enum: Object.keys(envs), default: DEFAULTS.env, description: "the world" },
      envOptions: { type: "object", description: "options of the world" },
      model: text("folder of the model to start from"),
      steps: { type: "integer", minimum: 1, default: DEFAULTS.steps, description: "updates" },
      seed: { type: "integer", minimum: 0, default: DEFAULTS.seed, description: "tasks and draws" },
      settings: optionsSchema(
        settingsTable(recipe, credit, { strategy: strategyName, objective, collect }),
      ) as JsonObject,
    },
    additionalProperties: false,
  };
}
