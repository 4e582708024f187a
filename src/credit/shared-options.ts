/** Options that several methods share, each with the default its paper or code has. */

/** One of these words; the first is the default. */
export const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices, meaning: string) =>
  ({ kind: "choice", default: choices[0] as Choices[0], choices, meaning }) as const;

/** A number from 0 to 1. */
export const share = (standard: number, meaning: string) =>
  ({ kind: "number", default: standard, least: 0, most: 1, meaning }) as const;

/** What a group is made of: its size decides whether something stands alone. */
type GroupOf =
  | "the step rows of one task"
  | "the trajectories of one task"
  | "the rows of one task at one turn"
  | "the rows of one task in one state"
  | "the trajectories of one task that have the segment";

export const singleton = <const Default extends "raw" | "zero">(standard: Default, of: GroupOf) =>
  ({
    kind: "choice",
    default: standard,
    choices: ["raw", "zero"],
    meaning: `a group is ${of}; of one: raw keeps its score, zero gives no advantage`,
  }) as const;

export const deviation = <const Default extends "unbiased" | "population">(standard: Default) =>
  ({
    kind: "choice",
    default: standard,
    choices: ["unbiased", "population"],
    meaning: "deviation that divides by n - 1 (unbiased) or by n (population)",
  }) as const;

export const mode = <const Default extends "mean_norm" | "mean_std_norm">(standard: Default) =>
  ({
    kind: "choice",
    default: standard,
    choices: ["mean_norm", "mean_std_norm"],
    meaning: "subtract the group's mean, or divide by its deviation too",
  }) as const;

export const normByStd = (standard: boolean) =>
  ({ kind: "flag", default: standard, meaning: "divide by the group's deviation" }) as const;

export const invalidPenalty = (standard: number) =>
  ({
    kind: "number",
    default: standard,
    least: 0,
    meaning: "taken from the score and the return of a step whose action was invalid",
  }) as const;

export const countTrajectoryOnce = {
  kind: "flag",
  default: false,
  meaning: "statistics over trajectories (their first step) instead of over step rows",
} as const;

export const epsilon = (standard: number) =>
  ({ kind: "number", default: standard, least: 1e-12, meaning: "added to the deviation" }) as const;

export const gamma = (standard: number, what: string) => share(standard, `discount of ${what}`);

export const lambda = (standard: number) => share(standard, "how far advantages look ahead");

/** Options of a comparison within a group: (x - mean) / (deviation + epsilon). */
export const comparison = <const Default extends "raw" | "zero">(standard: Default, of: GroupOf) =>
  ({ singleton: singleton(standard, of), deviation: deviation("unbiased"), epsilon: epsilon(1e-6) }) as const;

/** Options of GRPO's own comparison. */
export const outcomeOptions = {
  ...comparison("raw", "the step rows of one task"),
  countTrajectoryOnce,
  invalidPenalty: invalidPenalty(0),
} as const;

/** The same where nothing is divided. */
export const centringOptions = <const Default extends "raw" | "zero">(standard: Default) =>
  ({
    singleton: singleton(standard, "the step rows of one task"),
    countTrajectoryOnce,
    invalidPenalty: invalidPenalty(0),
  }) as const;
