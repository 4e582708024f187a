/** Lift: whether a skill helps, measured on held-out tasks against nothing and against a placebo. */
export { createAgentArms, type AgentArmOptions } from "./agent-arms.ts";
export { createArms, type RunArm } from "./arms.ts";
export { datasetEnv, readDataset, type AnswerJudge } from "./dataset-env.ts";
export { applyLift, liftRecord } from "./gate.ts";
export { measureLift, type Lift, type LiftOptions } from "./lift.ts";
export { placeboFor } from "./placebo.ts";
