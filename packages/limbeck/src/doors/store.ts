/**
 * Store: runs as immutable Parquet segments behind a commit log, with SQL over them; recordings of other agents;
 * reports.
 */

// Runs
export { openStore } from "limbeck-store/store/open-store";
export type { Store, RunWriter } from "limbeck-store/store/store";
export { copyRun } from "limbeck-store/store/copy-run";

// Files of other programs
export { formats, detectFormat } from "limbeck-store/store/formats/index";
export type { Source } from "limbeck-store/store/formats/source";

// Recordings and reports
export { openRecordings } from "limbeck-store/record/open-recordings";
export { startProxy, type ProxyOptions } from "limbeck-store/record/proxy";
export { addFeedback, addRewards } from "limbeck-store/record/feedback";
export { judgeTrajectories } from "limbeck-store/record/judge";
export { writeReport } from "limbeck-store/report/page";

// Commands
export { importFiles } from "limbeck-store/record/import.operation";
export { exportTrajectories } from "limbeck-store/record/export.operation";
export { listTraces } from "limbeck-store/record/traces.operation";
export { giveFeedback } from "limbeck-store/record/feedback.operation";
export { extractFromStore, followSessions, replaySessions } from "limbeck-store/record/skills.operation";
export { acceptSkills, checkSkills, tendSkills } from "limbeck-store/record/tending.operation";
