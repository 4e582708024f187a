/**
 * Credit: from scored trajectories to per-token advantages, each made of named terms that anyone can check with a
 * pencil.
 */
export { credits, getCredit, type CreditId } from "limbeck-core/credit/registry";
export { needs } from "limbeck-core/credit/needs";
export { assignCredit } from "limbeck-core/credit/assign";
export { batchFromTrajectories } from "limbeck-core/credit/from-trajectories";
export type { CreditRow } from "limbeck-core/credit/row";
export { collectTasks, emptyCollection } from "limbeck-core/credit/dynamic-sampling";
