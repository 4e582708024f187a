/** What is measured of played episodes: means over them. */
import { isObject } from "../../../packages/base/src/base/json.ts";
import { mean } from "../../../packages/base/src/base/statistics/summary.ts";
import type { Step, Trajectory } from "limbeck";

type Measure = (played: readonly Trajectory[]) => number;

export const success: Measure = (played) => mean(played.map((one) => Number(one.success === true)));
export const steps: Measure = (played) => mean(played.map((one) => one.steps.length));
export const stepsOfSolved: Measure = (played) => steps(played.filter((one) => one.success === true));

export const sumOfPart =
  (name: string): Measure =>
  (played) =>
    mean(played.map((one) => one.steps.reduce((sum, step) => sum + partOf(step, name), 0)));

export const lastPart =
  (name: string): Measure =>
  (played) =>
    mean(played.map((one) => partOf(one.steps.at(-1), name)));

/** Turns between the first with the best quality and the last before the end was declared. */
export const turnsAfterPeak: Measure = (played) =>
  mean(
    played.map((one) => {
      const turns = one.steps.filter(({ action }) => action !== "stop").map((step) => partOf(step, "quality"));
      const peak = turns.reduce((best, quality) => Math.max(best, quality), 0);
      return turns.length === 0 ? 0 : turns.length - 1 - turns.indexOf(peak);
    }),
  );

/** Share of the rounds after the first draft that beat the best before them, over all episodes. */
export const raisingRounds: Measure = (played) => {
  const rounds = played.flatMap((one) => one.steps.slice(1).filter(({ action }) => action !== "stop"));
  return rounds.length === 0 ? Number.NaN : mean(rounds.map((step) => partOf(step, "raised")));
};

function partOf(step: Step | undefined, name: string): number {
  const parts = step?.info?.["parts"];
  const value = isObject(parts) ? parts[name] : undefined;
  return typeof value === "number" ? value : 0;
}
