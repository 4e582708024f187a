/** Credit: from scored trajectories to per-token advantages, each made of named terms that anyone can check with a pencil. */
export { assignCredit, prepareBatch } from "./assign.ts";
export { batchFromJson } from "./batch-json.ts";
export { defineCredit } from "./credit.ts";
export type { CreditMethod, CreditBatch, CreditResult, CreditRow, Example, Laws, Term } from "./credit.ts";
export { extraRollouts, type ExtraRolloutOptions } from "./dars.ts";
export { collectTasks, emptyCollection } from "./dynamic-sampling.ts";
export { batchFromTrajectories, type TrajectoryBatch } from "./from-trajectories.ts";
export { needs, type Need } from "./needs.ts";
export { drawProbabilities, drawRows } from "./pf-ppo.ts";
export type { RowSignals, CalledTool } from "./signals.ts";
export { groupHistory, replayWeight, toolBonus } from "./spear.ts";
export { cutPoints } from "./spo-chain.ts";
export { tierReward } from "./ssl.ts";
export { credits, getCredit, type CreditId } from "./registry.ts";
