/**
 * Credit: from scored trajectories to per-token advantages, each made of named terms that anyone can check with a
 * pencil.
 */
export { credits, getCredit, type CreditId } from "../credit/registry.ts";
export { needs } from "../credit/needs.ts";
export { assignCredit } from "../credit/assign.ts";
export { batchFromTrajectories } from "../credit/from-trajectories.ts";
export type { CreditRow } from "../credit/row.ts";
export { collectTasks, emptyCollection } from "../credit/dynamic-sampling.ts";
