/** Eval: how good an agent is, with intervals, comparisons and rubrics, and the report that shows it. */
export { comparePolicies, type PolicyComparison } from "../eval/compare.ts";
export {
  evaluateAgent,
  figureOf,
  summarise,
  type Evaluated,
  type EvaluateAgentOptions,
  type Evaluation,
} from "../eval/evaluate.ts";
export {
  profileOf,
  type Efficiency,
  type Estimate,
  type Family,
  type Profile,
  type ProfileOptions,
} from "../eval/profile.ts";
export {
  rescoreTrajectories,
  type OrderCounts,
  type RescoredTrajectory,
  type Rescoring,
} from "../eval/rescore-trajectories.ts";
export {
  applyRubrics,
  rubrics,
  type Rubric,
  type RubricFinding,
  type RubricId,
  type RubricReport,
  type RubricShare,
  type RubricWalk,
} from "../eval/rubrics/index.ts";
export { writeReport, type ReportOptions } from "../report/index.ts";
export { auditRewards, type AuditOptions, type HackPay } from "../testing/index.ts";
