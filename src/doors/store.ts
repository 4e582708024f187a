/**
 * Store: runs as immutable Parquet segments behind a commit log, with SQL over them; recordings of other agents;
 * reports.
 */

// Runs
export { openStore } from "../store/open-store.ts";
export type { Store, RunWriter } from "../store/store.ts";
export { copyRun } from "../store/copy-run.ts";

// Files of other programs
export { formats, detectFormat } from "../store/formats/index.ts";
export type { Source } from "../store/formats/source.ts";

// Recordings and reports
export { openRecordings } from "../record/open-recordings.ts";
export { startProxy, type ProxyOptions } from "../record/proxy.ts";
export { addFeedback, addRewards } from "../record/feedback.ts";
export { judgeTrajectories } from "../record/judge.ts";
export { writeReport } from "../report/page.ts";

// Commands
export { importFiles } from "../record/import.operation.ts";
export { exportTrajectories } from "../record/export.operation.ts";
export { listTraces } from "../record/traces.operation.ts";
export { giveFeedback } from "../record/feedback.operation.ts";
export { extractFromStore, followSessions, replaySessions } from "../record/skills.operation.ts";
export { acceptSkills, checkSkills, tendSkills } from "../record/tending.operation.ts";
