/** Env: the contract of the worlds an agent acts in, and wrappers that change one thing about any of them. */
export type { Env, Episode, OpenOptions, StepResult } from "./env.ts";
export { episodeClosed, episodeEnded, unknownSplit } from "./episode-error.ts";
export { episodeOf, type StateRules, type Taken } from "./episode-of.ts";
export { hint, type Demonstration, type Demonstrator, type Seen } from "./expert.ts";
export type { Allowed } from "./stored-options.ts";
export { withHistory, type HistoryOptions, type Turn } from "./with-history.ts";
export { withInvalidActionPenalty } from "./with-invalid-action-penalty.ts";
export { withNoisyObservations, type NoiseOptions } from "./with-noisy-observations.ts";
export { withRecording, type Recorded } from "./with-recording.ts";
export { withRetry, type RetryOptions } from "./with-retry.ts";
export { withTimeLimit, type TimeLimitOptions } from "./with-time-limit.ts";
export { defineWorld, type GeneratedFile, type GenerateOptions, type World, type WorldOptions } from "./world.ts";
export { wrapEnv, wrapEpisode } from "./wrap.ts";
