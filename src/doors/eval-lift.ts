/** Lift: whether a skill helps, measured on held-out tasks against nothing and against a placebo. */
export { createArms, type RunArm } from "../eval/lift/arms.ts";
export { datasetEnv, readDataset, type AnswerJudge } from "../eval/lift/dataset-env.ts";
export { applyLift, liftRecord } from "../eval/lift/gate.ts";
export { measureLift, placeboFor, type Lift, type LiftOptions } from "../eval/lift/lift.ts";
export { createAgentArms, type AgentArmOptions } from "../worlds/agent/agent-arms.ts";
