/** How the run went, update by update. */
import { mean, sum } from "../../base/index.ts";
import { stackedBars } from "./bars.ts";
import { lineChart, type Series } from "./chart.ts";
import { markup, type Html } from "./html.ts";
import { duration, percent } from "./numbers.ts";
import type { Evaluated, RunRecord } from "./read-run.ts";

/** Success while training, on validation tasks, and on the held-out tasks before and after. */
export function learningCurve(runs: readonly RunRecord[]): Html {
  const name = (run: RunRecord, what: string): string => (runs.length > 1 ? `${run.label}: ${what}` : what);
  const series = runs.flatMap((run): Series[] => {
    const of = (...phases: string[]): Evaluated[] => run.evaluations.filter(({ phase }) => phases.includes(phase));
    return [
      {
        label: name(run, "training episodes"),
        points: run.metrics.get("success") ?? [],
        style: run.style,
        faint: true,
      },
      {
        label: name(run, "validation tasks, 95% band"),
        ...measured(of("validation")),
        marks: "line and dots",
        style: run.style,
      },
      {
        label: name(run, "held-out tasks, before and after"),
        ...measured(of("before", "midway", "after")),
        marks: "dots",
        style: run.style,
      },
    ];
  });
  const options = {
    title: "Success",
    note: "share of episodes that reached their goal",
    xLabel: "update",
    range: [0, 1],
    span: [0, lastUpdate(runs)],
  } as const;
  if (series.every(({ points }) => points.length === 0)) return lineChart(series, options);
  // Drawn twice: a wide chart on a phone would be a strip.
  return markup`${lineChart(series, { ...options, screens: "wide" })}${lineChart(series, { ...options, screens: "narrow", width: 360, height: 260 })}`;
}

/** Charts of a run share their x, so that they can be read together. */
function lastUpdate(runs: readonly RunRecord[]): number {
  return Math.max(
    1,
    ...runs.flatMap(({ metrics, evaluations }) => [
      ...(metrics.get("success") ?? []).map(({ x }) => x),
      ...evaluations.map(({ update }) => update),
    ]),
  );
}

function measured(evaluations: readonly Evaluated[]): Pick<Series, "points" | "intervals"> {
  return {
    points: evaluations.map(({ update, success }) => ({ x: update, y: success })),
    intervals: evaluations.map(({ update, low, high }) => ({ x: update, low, high })),
  };
}

interface Small {
  readonly title: string;
  readonly note: string;
  /** Metrics in one chart; a second one is told apart by its words in the legend. */
  readonly metrics: readonly (readonly [name: string, label: string])[];
}

const SMALL: readonly Small[] = [
  { title: "Reward", note: "mean of an episode", metrics: [["reward", ""]] },
  { title: "Entropy", note: "mean surprise of a sampled token, nats", metrics: [["entropy", ""]] },
  {
    title: "Teacher shift",
    note: "by outcome of the episode, nats a token",
    metrics: [
      ["teacher/shiftSuccess", "successes"],
      ["teacher/shiftFailure", "failures"],
    ],
  },
  {
    title: "Teacher's own success",
    note: "acting on the skills, on training tasks",
    metrics: [["teacher/probeSuccess", ""]],
  },
  { title: "Divergence from the teacher", note: "on taught tokens, nats", metrics: [["loss/teacher/divergence", ""]] },
  { title: "Gradient norm", note: "before clipping", metrics: [["gradientNorm", ""]] },
  { title: "Lag", note: "updates between playing and learning", metrics: [["async/lag", ""]] },
  {
    title: "Staleness",
    note: "steps of the optimiser since a token was said",
    metrics: [
      ["async/staleness", "mean"],
      ["async/mostStale", "most"],
    ],
  },
  {
    title: "Waiting",
    note: "seconds of an update",
    metrics: [
      ["async/waitedSeconds", "learning waits"],
      ["async/idleSeconds", "nobody plays"],
    ],
  },
];

export function smallCharts(runs: readonly RunRecord[]): Html {
  const charts = SMALL.flatMap(({ title, note, metrics }) => {
    const series = runs.flatMap((run) =>
      metrics.map(([metric, label], at): Series => ({
        label: [...(runs.length > 1 ? [run.label] : []), ...(label === "" ? [] : [label])].join(": "),
        points: run.metrics.get(metric) ?? [],
        // One run with two lines: the second gets a colour and dash of its own.
        style: runs.length > 1 ? run.style : at,
        faint: runs.length > 1 && at > 0,
      })),
    );
    const drawn = series.filter(({ points }) => points.length > 0);
    return drawn.length === 0
      ? []
      : [lineChart(drawn, { title, note, xLabel: "update", width: 360, height: 190, span: [0, lastUpdate(runs)] })];
  });
  if (charts.length === 0) return markup`<p class="none">No metrics were recorded.</p>`;
  return markup`<div class="multiples">${charts}</div>`;
}

const PHASES = [
  ["collect", "play the episodes"],
  ["analyse", "write skills"],
  ["rescore", "ask the teacher"],
  ["credit", "give credit"],
  ["learn", "learn"],
] as const;

/** Where the time went. */
export function phasesOf(run: RunRecord): Html {
  const points = PHASES.map(([phase]) => run.metrics.get(`seconds/${phase}`) ?? []);
  const updates = [...new Set(points.flatMap((line) => line.map(({ x }) => x)))].toSorted((one, other) => one - other);
  if (updates.length === 0) return markup`<p class="none">${run.label}: no times were recorded.</p>`;
  const layers = PHASES.map(([, label], at) => {
    const byUpdate = new Map(points[at]?.map(({ x, y }) => [x, y]));
    return { label, values: updates.map((update) => byUpdate.get(update) ?? 0) };
  });
  const whole = sum(layers.map(({ values }) => mean(values)));
  const rows = layers.map(
    ({ label, values }, at) =>
      markup`<tr><th scope="row"><span class="swatch p${at}"></span>${label}</th><td>${mean(values).toFixed(2)} s</td><td>${percent(mean(values) / whole)}</td></tr>`,
  );
  const chart = stackedBars({ title: "Seconds an update", xLabel: "update", at: updates, layers });
  return markup`<div class="beside">${chart}<div class="scroll"><table><thead><tr><th scope="col">phase</th><th scope="col">an update</th><th scope="col">share</th></tr></thead><tbody>${rows}</tbody><tfoot><tr><th scope="row">${updates.length} updates</th><td>${whole.toFixed(2)} s</td><td>${duration(whole * updates.length)} in all</td></tr></tfoot></table></div></div>`;
}
