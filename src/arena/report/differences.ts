/** Differences between arms, each with its interval on one line; what lies across zero is not separated. */
import { hasInterval } from "../../base/statistics/student-t.ts";
import { figure } from "../../eval/report/chart.ts";
import { markup, type Html } from "../../eval/report/html.ts";
import type { Comparison } from "../decide.ts";
import type { ArenaSummary } from "../summary.ts";
import { accountNames, differenceWords, signed } from "../words.ts";

const WIDTH = 720;
const LABELS = 250;
/** For the numbers on the right. */
const FIGURES = 170;
const ROW = 26;

export function differencesSection({ accounts, final }: ArenaSummary): Html {
  const [primary] = accounts;
  if (primary === undefined || primary.area.comparisons.length === 0) {
    return markup`<p class="none">There is nothing to compare.</p>`;
  }
  const lead = markup`<p class="lead">Left minus right within each seed. From three seeds on the thick line is the 95% interval of that difference alone, and the thin one is wide enough for all of them to hold together. Who is better is decided by the area in the primary account only, after Holm's correction for ${primary.area.comparisons.length} comparisons.</p>`;
  const plots = [
    forest(primary.area.comparisons, `Area under the curve, equal ${accountNames[primary.account]}`),
    forest(primary.end.comparisons, "Validation success when the budget is spent"),
    ...(final === undefined ? [] : [forest(final.comparisons, "Success on held-out tasks after the training")]),
  ];
  const others = accounts
    .slice(1)
    .map(({ account, area }) => forest(area.comparisons, `Area under the curve, equal ${accountNames[account]}`));
  return markup`${lead}<div class="stack">${plots}</div><details class="other"><summary>By the other accounts</summary><div class="stack">${others}</div></details>`;
}

/** A forest plot: a row for each comparison around a line at zero. */
function forest(comparisons: readonly Comparison[], title: string): Html {
  const height = 34 + ROW * comparisons.length;
  const reach = Math.max(
    0.05,
    ...comparisons.flatMap(({ difference, interval }) =>
      [difference, interval.low, interval.high].map((value) => (Number.isFinite(value) ? Math.abs(value) : 0)),
    ),
  );
  const most = Math.min(1, reach * 1.1);
  const x = (value: number): number => {
    const share = (Math.max(-most, Math.min(most, value)) + most) / (2 * most);
    return Math.round((LABELS + share * (WIDTH - LABELS - FIGURES)) * 10) / 10;
  };
  const rows = comparisons.map((one, at) => row(one, 12 + ROW * (at + 0.5), x));
  const [zero, bottom] = [x(0), height - 22];
  const ticks = [-most, 0, most].map(
    (value) =>
      markup`<text x="${x(value)}" y="${height - 5}" text-anchor="middle">${value === 0 ? "0" : signed(value, 2)}</text>`,
  );
  return figure(
    { title, xLabel: "", width: WIDTH, height },
    markup`<line class="grid" x1="${zero}" x2="${zero}" y1="6" y2="${bottom}"/>${rows}${ticks}`,
  );
}

function row(one: Comparison, y: number, x: (value: number) => number): Html {
  const { left, right, difference, interval, simultaneous, better } = one;
  const label = markup`<text x="${LABELS - 14}" y="${y}" dy=".35em" text-anchor="end">${shortName(left)} − ${shortName(right)}</text>`;
  if (!Number.isFinite(difference)) return label;
  const tone = better === null ? "unsure" : "sure";
  const line = (low: number, high: number, width: number): Html =>
    markup`<line class="span ${tone}" stroke-width="${width}" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>`;
  const words = differenceWords(one);
  const lines = hasInterval(one.pairs)
    ? markup`${line(simultaneous.low, simultaneous.high, 1)}${line(interval.low, interval.high, 4)}`
    : undefined;
  return markup`${label}${lines}<circle class="mid ${tone}" cx="${x(difference)}" cy="${y}" r="5"><title>${left} − ${right}: ${words}, p ${one.adjustedP.toFixed(3)} after correction</title></circle><text x="${WIDTH - 4}" y="${y}" dy=".35em" text-anchor="end">${words}</text>`;
}

/** Names of ablations are long; their ends tell them apart. */
function shortName(name: string): string {
  return name.length <= 16 ? name : `…${name.slice(-15)}`;
}
