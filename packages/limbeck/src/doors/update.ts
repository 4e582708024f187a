/**
 * Update: one update of a training, from fresh episodes to changed weights: what supplies signals, teachers, pairs,
 * losses, and the recipes that wire them.
 */

// The calls of an update
export { collect } from "limbeck-core/update/collect";
export { credit } from "limbeck-core/update/credit";
export { learn } from "limbeck-core/update/learn";
export { teach, analyse } from "limbeck-core/update/teach";
export { solve, demonstrate } from "limbeck-core/update/solve";
export type { UpdateContext } from "limbeck-core/update/context";
export { providers } from "limbeck-core/update/providers/index";
export { batchFromJson } from "limbeck-core/credit/batch-json";

// Recipes and objectives
export { recipes, getRecipe } from "limbeck-core/recipe/registry";
export { resolveSettings } from "limbeck-core/recipe/settings";
export { objectives } from "limbeck-core/objective/registry";
export { combine } from "limbeck-core/objective/combine";
export { trainSupervised } from "limbeck-core/objective/supervised";
export { buildCloningRows } from "limbeck-core/objective/cloning-rows";

// Teachers
export { teachers, openTeacher } from "limbeck-core/distill/index";
export type { Teacher } from "limbeck-core/distill/teacher";
export { contexts } from "limbeck-core/distill/contexts/index";
export type { Context } from "limbeck-core/distill/contexts/context";
export { rescore } from "limbeck-core/distill/rescore";

// Pairs and lessons
export { pairSources, findPairs } from "limbeck-core/distill/pairs/index";
export { definePairSource, type Pair, type PairSource } from "limbeck-core/distill/pairs/pair";
export { buildPairRows } from "limbeck-core/distill/pairs/pair-rows";
export { contrasts, reflections } from "limbeck-core/distill/imitation/early-experience";
