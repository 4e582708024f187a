/** Objective: the losses, plain arithmetic from per-token statistics to a loss and its weights. */
export { adaptKl, type AdaptiveKlOptions } from "./adaptive-kl.ts";
export { AGGREGATIONS, type Aggregation, type AggregationOptions } from "./aggregation.ts";
export { buildCloningRows, type CloningOptions, type CloningRows } from "./cloning-rows.ts";
export { combine, type WeightedObjective } from "./combine.ts";
export { holderExponent } from "./holderpo.ts";
export { KL_ESTIMATORS, type KlEstimator } from "./kl-estimators.ts";
export { klInReward, type KlRewardOptions, type KlRewardRow } from "./kl-reward.ts";
export { onlyRows } from "./only-rows.ts";
export type { Rejection, RolloutCorrection } from "./rollout-correction.ts";
export { meanLoss, trainSupervised, type SupervisedOptions, type SupervisedReport } from "./supervised.ts";
export { defineObjective, type ObjectiveMethod } from "./objective.ts";

export { objectives, type ObjectiveId } from "./registry.ts";
