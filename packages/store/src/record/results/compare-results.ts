/** Two sides of a comparison, paired by task. */
import { EngineError, usageError } from "limbeck-base/base/errors";
import { unknownName } from "limbeck-base/base/registry";
import { pairedVerdict, type PairedSettings, type PairedVerdict } from "limbeck-base/base/statistics/paired-verdict";
import { mean } from "limbeck-base/base/statistics/summary";
import { meanScore, type Results } from "./read-results.ts";

export interface SideFigures {
  /** Of the tasks that are compared. */
  readonly mean: number;
  /** Scores behind them; more than tasks where there were trials. */
  readonly trials: number;
  /** Tasks that the other side does not have. */
  readonly alone: number;
  /** Tasks of both sides that have no score here. */
  readonly unscored: number;
}

export interface ResultComparison extends PairedVerdict {
  readonly metric: string;
  readonly first: SideFigures;
  readonly second: SideFigures;
}

export interface CompareSettings extends PairedSettings {
  /** Default: the main one of the format, or the only one that both have. */
  readonly metric?: string | undefined;
  /** What has no score counts as 0, and is no task left out. Default: false. */
  readonly unscoredAsZero?: boolean;
}

/** `second` is better, worse or tied against `first`. A task tried several times counts once, by its mean. */
export function compareResults(first: Results, second: Results, settings: CompareSettings = {}): ResultComparison {
  const metric = chosenMetric(first, second, settings.metric);
  const sides = [first, second].map((side) => side.trials(metric));
  const [one, other] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const both = [...one.keys()].filter((task) => other.has(task));
  if (both.length === 0) {
    const [left] = one.keys();
    const [right] = other.keys();
    throw new EngineError(
      "no-shared-tasks",
      `The two have no task in common, so nothing can be paired: the first has ${one.size}, such as ${clip(left)}; the second ${other.size}, such as ${clip(right)}. Give results of the same tasks.`,
    );
  }
  const scoreOf = (trials: ReturnType<typeof one.get>): number | undefined =>
    meanScore(settings.unscoredAsZero === true ? trials?.map((score) => score ?? 0) : trials);
  const scores = both.map((task) => ({ task, a: scoreOf(one.get(task)), b: scoreOf(other.get(task)) }));
  const pairs = scores.flatMap(({ task, a, b }) => (a === undefined || b === undefined ? [] : [{ task, a, b }]));
  if (pairs.length === 0)
    throw new EngineError("nothing-measured", `No task has a score of ${JSON.stringify(metric)} on both sides.`);
  const figures = (own: typeof one, alone: number, side: "a" | "b"): SideFigures => ({
    mean: mean(pairs.map((pair) => pair[side])),
    trials: pairs.reduce(
      (sum, { task }) => sum + (own.get(task) ?? []).filter((score) => score !== undefined).length,
      0,
    ),
    alone,
    unscored: scores.filter((pair) => pair[side] === undefined).length,
  });
  return {
    metric,
    ...pairedVerdict(
      pairs.map(({ a, b }) => [a, b] as const),
      settings,
    ),
    first: figures(one, one.size - both.length, "a"),
    second: figures(other, other.size - both.length, "b"),
  };
}

function chosenMetric(first: Results, second: Results, wanted: string | undefined): string {
  const shared = first.metrics.filter((metric) => second.metrics.includes(metric));
  if (wanted !== undefined) {
    if (shared.includes(wanted)) return wanted;
    throw unknownName(wanted, shared, "metric of both");
  }
  const main = [first.main, second.main].find((metric) => metric !== undefined && shared.includes(metric));
  const [only] = shared;
  if (main !== undefined) return main;
  if (shared.length === 1 && only !== undefined) return only;
  const names = (metrics: readonly string[]): string => metrics.slice(0, 10).join(", ") || "none";
  throw shared.length === 0
    ? new EngineError(
        "no-shared-tasks",
        `The two have no metric in common. The first has ${names(first.metrics)}; the second ${names(second.metrics)}.`,
      )
    : usageError(`Both hold ${shared.length} metrics; name one with --metric: ${names(shared)}.`);
}

function clip(task = "none"): string {
  return JSON.stringify(task.length > 60 ? `${task.slice(0, 59)}…` : task);
}
