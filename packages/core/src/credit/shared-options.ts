/** Options that several methods share, each with the default its paper or code has. */
import { option } from "limbeck-base/base/option";

/** A number from 0 to 1. */
export const share = option.share;

/** What a group is made of: its size decides whether something stands alone. */
type GroupOf =
  | "the step rows of one task"
  | "the trajectories of one task"
  | "the rows of one task at one turn"
  | "the rows of one task in one state"
  | "the trajectories of one task that have the segment";

export const singleton = (standard: "raw" | "zero", of: GroupOf) =>
  option.choice(standard, ["raw", "zero"], `a group is ${of}; of one: raw keeps its score, zero gives no advantage`);

export const deviation = (standard: "unbiased" | "population") =>
  option.choice(
    standard,
    ["unbiased", "population"],
    "deviation that divides by n - 1 (unbiased) or by n (population)",
  );

export const mode = (standard: "mean_norm" | "mean_std_norm") =>
  option.choice(standard, ["mean_norm", "mean_std_norm"], "subtract the group's mean, or divide by its deviation too");

export const normByStd = (standard: boolean) => option.flag(standard, "divide by the group's deviation");

export const invalidPenalty = (standard: number) =>
  option.number(standard, "taken from the score and the return of a step whose action was invalid", { least: 0 });

export const countTrajectoryOnce = option.flag(
  false,
  "statistics over trajectories (their first step) instead of over step rows",
);

export const epsilon = (standard: number) => option.number(standard, "added to the deviation", { least: 1e-12 });

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
