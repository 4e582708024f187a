/** Options that several methods share, each with the default its paper or code has. */

export const singleton = <const Default extends "raw" | "zero">(standard: Default) =>
  ({
    kind: "choice",
    default: standard,
    choices: ["raw", "zero"],
    meaning: "group of one: raw keeps its score, zero gives no advantage",
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

export const gamma = (standard: number, what: string) =>
  ({ kind: "number", default: standard, least: 0, most: 1, meaning: `discount of ${what}` }) as const;
