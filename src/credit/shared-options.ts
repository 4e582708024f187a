/** Options that several methods share, each with the default its paper or code has. */
import { option } from "../base/index.ts";

export const singleton = (standard: "raw" | "zero") =>
  option.choice(standard, ["raw", "zero"], "group of one: raw keeps its score, zero gives no advantage");

export const deviation = (standard: "unbiased" | "population") =>
  option.choice(
    standard,
    ["unbiased", "population"],
    "deviation that divides by n - 1 (unbiased) or by n (population)",
  );

export const mode = (standard: "mean_norm" | "mean_std_norm") =>
  option.choice(standard, ["mean_norm", "mean_std_norm"], "subtract the group's mean, or divide by its deviation too");

export const invalidPenalty = (standard: number) =>
  option.number(standard, "taken from the score and the return of a step whose action was invalid", {
    least: 0,
  });

export const countTrajectoryOnce = option.flag(
  false,
  "statistics over trajectories (their first step) instead of over step rows",
);

export const epsilon = (standard: number) => option.number(standard, "added to the deviation", { least: 1e-12 });

export const gamma = (standard: number, what: string) =>
  option.number(standard, `discount of ${what}`, { least: 0, most: 1 });
