/** Eval: how good an agent is, with intervals, and the report that shows it. */
export { evaluate, summarise, type Evaluated, type EvaluateOptions, type Evaluation } from "./evaluate.ts";
export { writeReport, type ReportOptions } from "./report/write-report.ts";
export { topSkills, type ShownSkill } from "./report/skills.ts";
