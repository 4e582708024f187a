/** Options that several methods share, each with the default its paper or code has. */

interface Bounds {
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
}

export const number = (standard: number, meaning: string, bounds: Bounds = {}) =>
  ({ kind: "number", default: standard, ...bounds, meaning }) as const;

/** A number that may be switched off with null. */
export const limit = (standard: number | null, meaning: string, bounds: Bounds = {}) =>
  ({ kind: "limit", default: standard, ...bounds, meaning }) as const;

export const flag = (standard: boolean, meaning: string) => ({ kind: "flag", default: standard, meaning }) as const;

/** One of these words. Default: the first. */
export const oneOf = <const Choices extends readonly [string, ...string[]]>(
  choices: Choices,
  meaning: string,
  standard: Choices[number] = choices[0],
) => ({ kind: "choice", default: standard, choices, meaning }) as const;

/** A number from 0 to 1. */
export const share = (standard: number, meaning: string) => number(standard, meaning, { least: 0, most: 1 });

/** What a group is made of: its size decides whether something stands alone. */
type GroupOf =
  | "the step rows of one task"
  | "the trajectories of one task"
  | "the rows of one task at one turn"
  | "the rows of one task in one state"
  | "the trajectories of one task that have the segment";

export const singleton = (standard: "raw" | "zero", of: GroupOf) =>
  oneOf(["raw", "zero"], `a group is ${of}; of one: raw keeps its score, zero gives no advantage`, standard);

export const deviation = (standard: "unbiased" | "population") =>
  oneOf(["unbiased", "population"], "deviation that divides by n - 1 (unbiased) or by n (population)", standard);

export const mode = (standard: "mean_norm" | "mean_std_norm") =>
  oneOf(["mean_norm", "mean_std_norm"], "subtract the group's mean, or divide by its deviation too", standard);

export const normByStd = (standard: boolean) => flag(standard, "divide by the group's deviation");

export const invalidPenalty = (standard: number) =>
  number(standard, "taken from the score and the return of a step whose action was invalid", { least: 0 });

export const countTrajectoryOnce = flag(
  false,
  "statistics over trajectories (their first step) instead of over step rows",
);

export const epsilon = (standard: number) => number(standard, "added to the deviation", { least: 1e-12 });

export const gamma = (standard: number, what: string) => share(standard, `discount of ${what}`);

export const lambda = (standard: number) => share(standard, "how far advantages look ahead");

/** Options of a comparison within a group: (x - mean) / (deviation + epsilon). */
export const comparison = (standard: "raw" | "zero", of: GroupOf) => ({
  singleton: singleton(standard, of),
  deviation: deviation("unbiased"),
  epsilon: epsilon(1e-6),
});

/** Options of GRPO's own comparison. */
export const outcomeOptions = {
  ...comparison("raw", "the step rows of one task"),
  countTrajectoryOnce,
  invalidPenalty: invalidPenalty(0),
};

/** The same where nothing is divided. */
export const centringOptions = (standard: "raw" | "zero") => ({
  singleton: singleton(standard, "the step rows of one task"),
  countTrajectoryOnce,
  invalidPenalty: invalidPenalty(0),
});
