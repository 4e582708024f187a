/** Env: the worlds an agent acts in by name, their contract, and wrappers that change one thing about any of them. */
export type { Env, Episode, OpenOptions, StepResult } from "../env/env.ts";
export { episodeClosed, episodeEnded, unknownSplit } from "../env/episode-error.ts";
export { episodeOf, type StateRules, type Taken } from "../env/episode-of.ts";
export { hint, type Demonstration, type Demonstrator, type Seen } from "../env/expert.ts";
export type { Allowed } from "../env/stored-options.ts";
export { withHistory, type HistoryOptions, type Turn } from "../env/with-history.ts";
export { withInvalidActionPenalty } from "../env/with-invalid-action-penalty.ts";
export { withNoisyObservations, type NoiseOptions } from "../env/with-noisy-observations.ts";
export { withRecording, type Recorded } from "../env/with-recording.ts";
export { withRetry, type RetryOptions } from "../env/with-retry.ts";
export { withTimeLimit, type TimeLimitOptions } from "../env/with-time-limit.ts";
export { defineWorld, type GeneratedFile, type GenerateOptions, type World, type WorldOptions } from "../env/world.ts";
export { wrapEnv, wrapEpisode } from "../env/wrap.ts";
export { envs, getWorld, openEnv, type EnvId } from "../worlds/index.ts";
