/** Record: capture of agents that run elsewhere, as trajectories in the store. */
export { addFeedback, addRewards, readFeedback, type FeedbackGiven } from "./feedback.ts";
export { exportTrajectories } from "./export.operation.ts";
export { giveFeedback } from "./feedback.operation.ts";
export { importFiles } from "./import.operation.ts";
export { judgeTrajectories, type JudgeOptions } from "./judge.ts";
export { openRecordings, type OpenRecordingsOptions } from "./open-recordings.ts";
export { startProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
export { createRedactor, type RedactOptions, type Redactor } from "./recorder/redact.ts";
export { listTraces } from "./traces.operation.ts";
export { countRecordedUses } from "./skill-uses.ts";
export type { RecordingsStatus } from "./recordings-sink.ts";
export type { RecordingsSink } from "./recordings-sink.ts";
export { extractFromStore, followSessions, replaySessions } from "./skills.operation.ts";
export { acceptSkills, checkSkills, tendSkills } from "./tending.operation.ts";
