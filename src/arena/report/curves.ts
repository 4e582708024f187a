/** Learning curves of an arena: means with bands in every account, and every run by itself. */
import { hasInterval } from "../../base/statistics/student-t.ts";
import { lineChart, type Series } from "../../eval/report/chart.ts";
import { markup, type Html } from "../../eval/report/html.ts";
import { count, percent, plural } from "../../eval/report/numbers.ts";
import type { AccountSummary, ArenaSummary } from "../summary.ts";
import { accountNames } from "../words.ts";

/** The primary account large, the others beside each other below. */
export function curveCharts({ accounts }: ArenaSummary): Html {
  const [primary, ...others] = accounts;
  if (primary === undefined) return markup``;
  const lead = markup`<p class="lead">Success on the validation tasks, the same for every arm and seed. Lines are means over the seeds; bands are 95% bootstrap bands over whole runs, which with three seeds are their range; fewer have none.</p>`;
  const wide = options(primary, "wide");
  const narrow = { ...options(primary, "narrow"), width: 360, height: 280 };
  const small = others.map((one) =>
    lineChart(seriesOf(one), { ...options(one), width: 360, height: 220, title: `By ${accountNames[one.account]}` }),
  );
  return markup`${lead}${lineChart(seriesOf(primary), wide)}${lineChart(seriesOf(primary), narrow)}<div class="multiples">${small}</div>`;
}

function options({ account, to }: AccountSummary, screens?: "wide" | "narrow"): Parameters<typeof lineChart>[1] {
  return {
    title: `Success by ${accountNames[account]}`,
    note: `equal for all arms up to ${count(Math.round(to))}`,
    xLabel: accountNames[account],
    range: [0, 1],
    span: [0, Math.max(1, to)],
    format: percent,
    ...(screens === undefined ? {} : { screens }),
  };
}

function seriesOf({ arms }: AccountSummary): Series[] {
  return arms.map(({ name, curve, curves }, style) => ({
    label: name,
    style,
    marks: "line and dots",
    points: curve.at.map((x, at) => ({ x, y: curve.mean[at] ?? 0 })),
    intervals: hasInterval(curves.length)
      ? curve.at.map((x, at) => ({ x, low: curve.low[at] ?? 0, high: curve.high[at] ?? 0 }))
      : [],
  }));
}

/** Small charts, one an arm: its seeds as faint lines behind their mean. */
export function seedCharts({ accounts }: ArenaSummary): Html {
  const [primary] = accounts;
  if (primary === undefined) return markup``;
  const charts = primary.arms.map(({ name, curves, curve }, style) => {
    const seeds = curves.map((points): Series => ({ label: "a seed", points, style, faint: true }));
    const middle = curve.at.map((x, at) => ({ x, y: curve.mean[at] ?? 0 }));
    const average: Series = { label: "mean", points: middle, style, marks: "line and dots" };
    return lineChart([...seeds, average], {
      title: name,
      note: plural(curves.length, "seed"),
      xLabel: accountNames[primary.account],
      range: [0, 1],
      span: [0, Math.max(1, primary.to)],
      format: percent,
      width: 360,
      height: 200,
      legend: false,
    });
  });
  return markup`<div class="multiples">${charts}</div>`;
}
