/** Eval: how good an agent is, with intervals, comparisons and rubrics, and the report that shows it. */
export { comparePolicies, type PolicyComparison } from "./compare.ts";
export {
  evaluateAgent,
  figureOf,
  summarise,
  type Evaluated,
  type EvaluateAgentOptions,
  type Evaluation,
} from "./evaluate.ts";
export {
  profileOf,
  type Efficiency,
  type Estimate,
  type Family,
  type Profile,
  type ProfileOptions,
} from "./profile.ts";
export {
  rescoreTrajectories,
  type OrderCounts,
  type RescoredTrajectory,
  type Rescoring,
} from "./rescore-trajectories.ts";
export {
  applyRubrics,
  rubrics,
  type Rubric,
  type RubricFinding,
  type RubricId,
  type RubricReport,
  type RubricShare,
  type RubricWalk,
} from "./rubrics/index.ts";
