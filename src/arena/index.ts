/** Arena: recipes against each other on the same tasks, starting weights, draws and budget, and what may be said of it. */
export { checkPlannedWorlds } from "./arm-world.ts";
export { parseBudget, type Account, type Budget } from "./budget.ts";
export { decide, type Comparison, type Decision, type Scores } from "./decide.ts";
export {
  isFinished,
  journalFile,
  readJournal,
  type JournalLine,
  type Measured,
  type PointLine,
  type Spending,
} from "./journal.ts";
export { readPlan, type ArenaPlan, type ArenaPlanInput, type Arm, type EvaluationPlan } from "./plan.ts";
export { readResults, spentAt, type RunResult } from "./results.ts";
export { runArm, type RunArmRequest } from "./run-arm.ts";
export {
  defaultJobs,
  runOrder,
  runPlan,
  storedPlan,
  storePlan,
  type RunEnd,
  type RunName,
  type RunPlanOptions,
} from "./run-plan.ts";
export {
  ranked,
  summarise,
  type AccountSummary,
  type ArenaSummary,
  type ArmAccount,
  type ArmSummary,
  type Estimate,
  type Reached,
  type Retained,
} from "./summary.ts";
export { parseVaried, variedArms, type ArmInput, type Varied } from "./vary.ts";
export { accountNames, comparisonWords, rankWords, signed, verdictWords } from "./words.ts";
export { writeArena, type ArenaFiles } from "./write-arena.ts";
