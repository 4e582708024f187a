/** Eval: how good an agent is and whether a skill helps, with intervals and comparisons. */

// Agents
export { evaluateAgent } from "../eval/evaluate.ts";
export { comparePolicies } from "../eval/compare.ts";
export { profileOf } from "../eval/profile.ts";
export { rescoreTrajectories } from "../eval/rescore-trajectories.ts";
export { applyRubrics } from "../eval/rubrics/apply-rubrics.ts";
export { rubrics } from "../eval/rubrics/index.ts";

// Skills
export { measureLift, type Lift } from "../eval/lift/lift.ts";
export { createArms } from "../eval/lift/arms.ts";
export { createAgentArms } from "../worlds/agent/agent-arms.ts";
export { datasetEnv, readDataset } from "../eval/lift/dataset-env.ts";
export { applyLift, liftRecord } from "../eval/lift/gate.ts";
export { liftSkills } from "../run/lift.operation.ts";

// Statistics
export { wilson, boundedMean, shareDifference, boundedDifference } from "../base/statistics/share.ts";
export { tInterval } from "../base/statistics/student-t.ts";
export { bootstrap, bootstrapUnits, pairedBootstrap, pairedDifferences } from "../base/statistics/bootstrap.ts";
export { signTest, pairedPermutationTest } from "../base/statistics/paired-tests.ts";
export { compareArms } from "../base/statistics/compare-arms.ts";
export { holm, simultaneousConfidence } from "../base/statistics/multiple.ts";
export { passAtK, meanPassAtK } from "../base/statistics/pass-at-k.ts";
export { standings } from "../base/statistics/tiers.ts";
export { bradleyTerry } from "../base/statistics/bradley-terry.ts";
export { alignCurves, areaUnder, xToReach, censoredMedian, bootstrapBand } from "../base/statistics/curve.ts";
