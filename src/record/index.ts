/** Record: capture of agents that run elsewhere, as trajectories in the store. */
export { addFeedback, addRewards, readFeedback, type FeedbackGiven } from "./feedback.ts";
export { judgeTrajectories, type JudgeOptions } from "./judge.ts";
export { startProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
export { createRedactor, type RedactOptions, type Redactor } from "./recorder/redact.ts";
export { Recordings, type RecordingsOptions, type RecordingsStatus } from "./recordings.ts";
