/** Eval: how good an agent is and whether a skill helps, with intervals and comparisons. */

// Agents
export { evaluateAgent } from "limbeck-core/eval/evaluate";
export { comparePolicies } from "limbeck-core/eval/compare";
export { askSuite } from "../run/suite.operation.ts";
export { profileOf } from "limbeck-core/eval/profile";
export { rescoreTrajectories } from "limbeck-core/eval/rescore-trajectories";
export { applyRubrics } from "limbeck-core/eval/rubrics/apply-rubrics";
export { rubrics } from "limbeck-core/eval/rubrics/index";

// Skills
export { measureLift, type Lift } from "limbeck-core/eval/lift/lift";
export { createArms } from "limbeck-core/eval/lift/arms";
export { createAgentArms } from "limbeck-worlds/agent/agent-arms";
export { datasetEnv, readDataset } from "limbeck-core/eval/lift/dataset-env";
export { applyLift, liftRecord } from "limbeck-core/eval/lift/gate";
export { liftSkills } from "../run/lift.operation.ts";

// Statistics
export { wilson, boundedMean, shareDifference, boundedDifference } from "limbeck-base/base/statistics/share";
export { tInterval } from "limbeck-base/base/statistics/student-t";
export { bootstrap, bootstrapUnits, pairedBootstrap, pairedDifferences } from "limbeck-base/base/statistics/bootstrap";
export { signTest, pairedPermutationTest } from "limbeck-base/base/statistics/paired-tests";
export { compareArms } from "limbeck-base/base/statistics/compare-arms";
export { holm, simultaneousConfidence } from "limbeck-base/base/statistics/multiple";
export { passAtK, meanPassAtK } from "limbeck-base/base/statistics/pass-at-k";
export { standings } from "limbeck-base/base/statistics/tiers";
export { bradleyTerry } from "limbeck-base/base/statistics/bradley-terry";
export { alignCurves, areaUnder, xToReach, censoredMedian, bootstrapBand } from "limbeck-base/base/statistics/curve";
