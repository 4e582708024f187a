/** Testing: what shows whether a part or a reward of somebody's own holds: tasks with ways to game them, and what a plan would pay for each. */
export { auditRewards, type AuditOptions, type HackPay } from "./hack-lab/lab.ts";
