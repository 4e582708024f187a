/**
 * Update: one update of a training, from fresh episodes to changed weights: what supplies signals, teachers, pairs,
 * losses, and the recipes that wire them.
 */

// The calls of an update
export { collect } from "../update/collect.ts";
export { credit } from "../update/credit.ts";
export { learn } from "../update/learn.ts";
export { teach, analyse } from "../update/teach.ts";
export { solve, demonstrate } from "../update/solve.ts";
export type { UpdateContext } from "../update/context.ts";
export { providers } from "../update/providers/index.ts";
export { batchFromJson } from "../credit/batch-json.ts";

// Recipes and objectives
export { recipes, getRecipe } from "../recipe/registry.ts";
export { resolveSettings } from "../recipe/settings.ts";
export { objectives } from "../objective/registry.ts";
export { combine } from "../objective/combine.ts";
export { trainSupervised } from "../objective/supervised.ts";
export { buildCloningRows } from "../objective/cloning-rows.ts";

// Teachers
export { teachers, openTeacher } from "../distill/index.ts";
export type { Teacher } from "../distill/teacher.ts";
export { contexts } from "../distill/contexts/index.ts";
export type { Context } from "../distill/contexts/context.ts";
export { rescore } from "../distill/rescore.ts";

// Pairs and lessons
export { pairSources, findPairs } from "../distill/pairs/index.ts";
export { definePairSource, type Pair, type PairSource } from "../distill/pairs/pair.ts";
export { buildPairRows } from "../distill/pairs/pair-rows.ts";
export { contrasts, reflections } from "../distill/imitation/early-experience.ts";
