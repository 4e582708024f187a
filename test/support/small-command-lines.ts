/** Words of command lines that are over in a moment, and a file that they read. */

export const TINY_HOUSEHOLD = ["--env", "household", "--env-set", "dial=tiny"];

/** For training: few, short episodes. */
export const SHORT_EPISODES = ["tasks=2", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => [
  "--set",
  setting,
]);

/** Validated and kept at every update; the model is `start`. */
export const TRAIN = [
  ..."train --model start --threads 1 --report-tasks 2 --validation-tasks 2 --validate-every 1 --checkpoint-every 1".split(
    " ",
  ),
  ...SHORT_EPISODES,
];

export const EASY_SUMS = ["--env", "countdown", "--env-set", "level=easy"];
/** For a warm-up: two updates, each validated. */
export const TWO_LESSONS = "--steps 2 --evaluate-every 1 --validation-tasks 1 --batch 2 --threads 1".split(" ");
/** The base is the model `base`. */
export const WARM_UP = ["warm-up", ...EASY_SUMS, "--base", "./base", "--demonstrations", "6", ...TWO_LESSONS];

/** For `--rewards FILE`: two rewards with weights, and a screen that is off. */
export const REWARD_PLAN = [
  "rewards:",
  "  - { use: outcome, weight: 1 }",
  "  - { use: format, as: form, weight: 0.5, options: { tags: [] } }",
  "screens:",
  "  constant-scores: false",
].join("\n");
