/** Lift: whether a skill helps, measured on held-out tasks against nothing and against a placebo. */
export { createArms, type RunArm } from "./arms.ts";
export { datasetEnv, readDataset, type AnswerJudge } from "./dataset-env.ts";
export { applyLift, liftRecord } from "./gate.ts";
export { measureLift, placeboFor, type Lift, type LiftOptions } from "./lift.ts";
