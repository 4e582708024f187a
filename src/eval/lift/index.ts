/** Lift: whether a skill helps, measured on held-out tasks against nothing and against a placebo. */
export { createArms, type ArmOptions, type RunArm } from "./arms.ts";
export { datasetEnv, readDataset, type AnswerJudge, type DatasetRow } from "./dataset-env.ts";
export { applyLift, decisionFor, liftRecord } from "./gate.ts";
export { measureLift, type Lift, type LiftOptions, type Look, type Verdict } from "./lift.ts";
export { placeboFor } from "./placebo.ts";
export { boundAt, comparePairs, type Comparison, type Pair } from "./sequential.ts";
export { skilledPrompting, withSkill } from "./with-skill.ts";
