/** Any set of runs against each other. */
import { alignCurves, bootstrapBand } from "limbeck-base/base/statistics/curve";
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { hasInterval } from "limbeck-base/base/statistics/student-t";
import { mapLimit } from "limbeck-base/base/concurrency";
import { mean } from "limbeck-base/base/statistics/summary";
import { differenceOf, readPairs, type Pair } from "limbeck-store/report/pairs";
import { readRecord } from "limbeck-store/report/read-run";
import type { RunSummary, Store } from "limbeck-store/store/store";
import type { CurvePoint } from "../api/base.ts";
import type { Comparison, Curve } from "../api/runs.ts";
import { dataOf } from "./cells.ts";
import { curvesOf, topicOf } from "./curves.ts";
import { settingsOf } from "./run-detail.ts";
import { evaluationOf } from "./run-facts.ts";
import type { RunList } from "./run-list.ts";

const MOST_RUNS = 20;
/** Bands of many seeds are drawn at so many updates at most. */
const MOST_POINTS = 400;

interface Compared {
  readonly summary: RunSummary;
  readonly curves: readonly Curve[];
  readonly pairs: readonly Pair[];
}

export async function compareRuns(store: Store, runs: RunList, text: string): Promise<Comparison> {
  const ids = [...new Set(text.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length === 0 || ids.length > MOST_RUNS) {
    throw new EngineError(
      "bad-request",
      `Give 1 to ${MOST_RUNS} runs to compare, separated by commas; these are ${ids.length}.`,
    );
  }
  const compared = await mapLimit(ids, 2, (id) => readOne(store, runs, id));
  const [first, ...others] = compared;
  const names = [...new Set(compared.flatMap(({ curves }) => curves.map(({ name }) => name)))];
  return {
    runs: await mapLimit(ids, 2, (id) => runs.one(id)),
    curves: names.map((name) => {
      const series = compared.flatMap(({ summary, curves }) => {
        const own = curves.find((curve) => curve.name === name);
        return own === undefined ? [] : [{ run: summary.id, points: own.points }];
      });
      const known = compared.flatMap(({ curves }) => curves.find((curve) => curve.name === name) ?? [])[0];
      return {
        name,
        topic: known?.topic ?? topicOf(name).topic,
        unit: known?.unit ?? "",
        series,
        arms: armsOf(compared, series),
      };
    }),
    pairs: first === undefined ? [] : others.map((other) => pairOf(first, other)),
    settings: settingsOf(compared.map(({ summary }) => summary.config)),
  };
}

async function readOne(store: Store, runs: RunList, id: string): Promise<Compared> {
  const summary = await runs.summary(id);
  if (summary.problem !== undefined) return { summary, curves: [], pairs: [] };
  const record = await readRecord(store, summary, id, 0);
  const events = await store.query("select data from events where kind = 'evaluation' order by time", { run: id });
  const evaluations = events.rows.flatMap(([data]) => evaluationOf(dataOf(data)));
  return { summary, curves: curvesOf(record, evaluations), pairs: await readPairs(store, id) };
}

function pairOf(left: Compared, right: Compared): Comparison["pairs"][number] {
  const theirs = new Map(right.pairs.map(({ task, after }) => [task, after.success]));
  const both = left.pairs.flatMap(({ task, after }) => {
    const other = theirs.get(task);
    return other === undefined ? [] : [[after.success, other] as const];
  });
  return { left: left.summary.id, right: right.summary.id, after: differenceOf(both) ?? null };
}

/** Runs whose configurations differ in nothing but the seed are one arm. */
function armsOf(
  compared: readonly Compared[],
  series: readonly { readonly run: string; readonly points: readonly CurvePoint[] }[],
): Comparison["curves"][number]["arms"] {
  const arms = groupedBy(series, ({ run }) => {
    const { seed: _, ...rest } = compared.find(({ summary }) => summary.id === run)?.summary.config ?? {};
    return JSON.stringify(rest);
  });
  return [...arms.values()].flatMap((members) => {
    if (members.length < 2 || members.some(({ points }) => points.length === 0)) return [];
    const points = bandOf(members.map((member) => member.points));
    const runs = members.map(({ run }) => run);
    return [{ arm: `${runs[0]} and ${runs.length - 1} more`, runs, points }];
  });
}

/** The mean of an arm's curves with its band; of three runs that is their range, which needs no drawing. */
function bandOf(curves: readonly (readonly CurvePoint[])[]): CurvePoint[] {
  const { grid, rows } = alignCurves(curves);
  if (rows.length <= 3) {
    return grid.map((x, at) => {
      const heights = rows.map((row) => row[at] as number);
      if (!hasInterval(rows.length)) return { x, y: mean(heights) };
      return { x, y: mean(heights), low: Math.min(...heights), high: Math.max(...heights) };
    });
  }
  const step = Math.ceil(grid.length / MOST_POINTS);
  const kept = grid.flatMap((x, at) => (at % step === 0 || at === grid.length - 1 ? [{ x, at }] : []));
  // A fixed seed: the same runs give the same band.
  const band = bootstrapBand(
    rows.map((row) => kept.map(({ at }) => row[at] as number)),
    { rng: createRng("compare") },
  );
  const value = (values: readonly number[], at: number): number => values[at] as number;
  return kept.map(({ x }, at) => ({
    x,
    y: value(band.mean, at),
    low: value(band.low, at),
    high: value(band.high, at),
  }));
}
