/** Door: repeated trials and hold-outs in Vitest: what runs them, a matcher and a reporter. */
export { isHeldOut, passAll, runTrials } from "limbeck-testing/trials/run-trials";
export type { TrialOptions, TrialsOutcome } from "limbeck-testing/trials/run-trials";
export { trialMatchers } from "limbeck-testing/trials/matchers";
export type { TrialBar } from "limbeck-testing/trials/matchers";
export { TrialsReporter } from "limbeck-testing/trials/reporter";
