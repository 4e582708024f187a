/** Train: the objectives, plain arithmetic from per-token statistics to a loss and its weights. */
import { advantageRegression } from "./advantage-regression.ts";
import { aopd } from "./aopd.ts";
import { candidateDivergence } from "./candidate-divergence.ts";
import { cispo } from "./cispo.ts";
import { clipCov } from "./clip-cov.ts";
import { clipped } from "./clipped.ts";
import { coGrpo } from "./co-grpo.ts";
import { crossEntropy } from "./cross-entropy.ts";
import { ctpo } from "./ctpo.ts";
import { dpo } from "./dpo.ts";
import { entropyBonus } from "./entropy-bonus.ts";
import { gmpo } from "./gmpo.ts";
import { gspo } from "./gspo.ts";
import { holderpo } from "./holderpo.ts";
import { klCov } from "./kl-cov.ts";
import { kl } from "./kl.ts";
import { defineObjective, type ObjectiveMethod } from "./objective.ts";
import { opidAuxiliary } from "./opid-auxiliary.ts";
import { otr } from "./otr.ts";
import { policyGradient } from "./policy-gradient.ts";
import { sampledDivergence } from "./sampled-divergence.ts";
import { sapo } from "./sapo.ts";
import { scopeA } from "./scope-a.ts";
import { sdpo } from "./sdpo.ts";
import { shapedRatio } from "./shaped-ratio.ts";
import { teacherDivergence } from "./teacher-divergence.ts";
import { value } from "./value.ts";

export { adaptKl, type AdaptiveKlOptions } from "./adaptive-kl.ts";
export { AGGREGATIONS, type Aggregation, type AggregationOptions } from "./aggregation.ts";
export { balanced, type BalancedParts } from "./balanced.ts";
export { buildCloningRows, type CloningOptions, type CloningRows } from "./cloning-rows.ts";
export { combine, type WeightedObjective } from "./combine.ts";
export { holderExponent } from "./holderpo.ts";
export { KL_ESTIMATORS, type KlEstimator } from "./kl-estimators.ts";
export { klInReward, type KlRewardOptions, type KlRewardRow } from "./kl-reward.ts";
export { oneTokenRows, type OneTokenRowsOptions } from "./one-token-rows.ts";
export { onlyRows } from "./only-rows.ts";
export type { Rejection, RolloutCorrection } from "./rollout-correction.ts";
export { meanLoss, trainSupervised, type SupervisedOptions, type SupervisedReport } from "./supervised.ts";
export { defineObjective, type ObjectiveMethod };

/** One line each; the id is the file's name. */
export const objectives = {
  "advantage-regression": advantageRegression,
  aopd,
  "candidate-divergence": candidateDivergence,
  cispo,
  "clip-cov": clipCov,
  clipped,
  "co-grpo": coGrpo,
  "cross-entropy": crossEntropy,
  ctpo,
  dpo,
  "entropy-bonus": entropyBonus,
  gmpo,
  gspo,
  holderpo,
  kl,
  "kl-cov": klCov,
  "opid-auxiliary": opidAuxiliary,
  otr,
  "policy-gradient": policyGradient,
  "sampled-divergence": sampledDivergence,
  sapo,
  "scope-a": scopeA,
  sdpo,
  "shaped-ratio": shapedRatio,
  "teacher-divergence": teacherDivergence,
  value,
} as const satisfies Record<string, ObjectiveMethod>;
export type ObjectiveId = keyof typeof objectives;
