/** Arena: recipes against each other on the same tasks, starting weights, draws and budget, and the conclusions that the data allow. */
export type { Account, Budget } from "./budget.ts";
export type { Comparison, Decision } from "./decide.ts";
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
export { readResults, type RunResult } from "./results.ts";
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
  rankArms,
  summarise,
  type AccountSummary,
  type ArenaSummary,
  type ArmAccount,
  type ArmSummary,
  type Estimate,
  type Reached,
  type Retained,
} from "./summary.ts";
export type { Round, RoundOutcome } from "./tune/halving.ts";
export type { StoredTune, TuneBudget } from "./tune/stored-tune.ts";
export { tuneWords, type TunedTrial, type TuneSummary } from "./tune/tuned.ts";
export type { ArmInput } from "./vary.ts";
export { accountNames, comparisonWords, withSign, verdictWords } from "./words.ts";
export { writeArena, type ArenaFiles } from "./write-arena.ts";
