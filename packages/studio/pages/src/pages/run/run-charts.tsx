/** The curves of a run, by what they are about. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Curve, CurveTopic, RunDetail } from "../../../../src/serve/api.ts";
import { ChartBar } from "../../chart/chart-bar.tsx";
import { LineChart } from "../../chart/line-chart.tsx";
import { metricWords } from "../../chart/metric-words.ts";
import type { Series } from "../../chart/series.ts";

const TITLES: readonly (readonly [CurveTopic, string])[] = [
  ["reward", "Reward"],
  ["entropy", "Entropy"],
  ["kl", "Divergence from the start"],
  ["teacher", "Teacher"],
  ["credit", "Credit"],
  ["loss", "Loss and gradient"],
  ["skill", "Skills"],
  ["other", "More"],
  ["cost", "Cost"],
];
/** These are open from the start; the others wait behind a line. */
const OPEN: readonly CurveTopic[] = ["reward", "entropy", "kl"];
const SHIFTS: readonly (readonly [string, string])[] = [
  ["teacher/shift", "all words"],
  ["teacher/shiftSuccess", "in successes"],
  ["teacher/shiftFailure", "in failures"],
];

const MEANINGS = {
  success:
    "Share of episodes that reached their goal. Tasks that are measured now and then are marks with their 95 % interval; the line is the training's own episodes.",
  shift: "How much likelier the teacher, with the skill in sight, makes each word than the policy did, on average.",
  phases: "The parts of an update's wall-clock time, on top of each other.",
} as const;

export function RunCharts({ detail }: { readonly detail: RunDetail }): JSX.Element | null {
  const { curves, evaluations } = detail;
  const shifts = useMemo(() => shiftSeries(curves), [curves]);
  const phases = useMemo(() => phaseSeries(curves), [curves]);
  const groups = useMemo(
    () => TITLES.map(([topic, title]) => ({ topic, title, curves: curves.filter((curve) => curve.topic === topic) })),
    [curves],
  );
  if (curves.length === 0 && evaluations.length === 0) return null;
  const rest = groups.filter(({ topic, curves: some }) => some.length > 0 && !OPEN.includes(topic));
  return (
    <section class="section" aria-label="Curves">
      <div class="row spread">
        <h2>Curves</h2>
        <ChartBar />
      </div>
      <div class="columns">
        <SuccessChart detail={detail} />
        {shifts.length > 0 && (
          <LineChart
            title="Teacher shift"
            meaning={MEANINGS.shift}
            metric="teacher/shift…"
            series={shifts}
            unit="nats a token"
            height={210}
            legend
          />
        )}
        {phases.length > 0 && (
          <LineChart
            title="Seconds of an update, by phase"
            meaning={MEANINGS.phases}
            metric="seconds/…"
            series={phases}
            unit="seconds"
            height={210}
            legend
            stacked
          />
        )}
        {groups
          .filter(({ topic }) => OPEN.includes(topic))
          .flatMap(({ curves: some }) => some.map((curve) => <CurveChart key={curve.name} curve={curve} />))}
      </div>
      {rest.map(({ topic, title, curves: some }) => (
        <details key={topic}>
          <summary>
            {title} <span class="soft">({some.length})</span>
          </summary>
          <div class="columns">
            {some.map((curve) => (
              <CurveChart key={curve.name} curve={curve} />
            ))}
          </div>
        </details>
      ))}
    </section>
  );
}

/** How well it does, in one picture; nothing where nothing was measured yet. */
export function SuccessChart({ detail }: { readonly detail: RunDetail }): JSX.Element | null {
  const { curves, evaluations } = detail;
  const series = useMemo(() => successSeries(curves, evaluations), [curves, evaluations]);
  if (series.length === 0) return null;
  return <LineChart title="Success" meaning={MEANINGS.success} series={series} unit="share" height={210} legend />;
}

function CurveChart({ curve }: { readonly curve: Curve }): JSX.Element {
  const series = useMemo(() => [{ name: curve.name, colour: 0, points: curve.points }], [curve]);
  const { title, meaning } = metricWords(curve.name);
  return (
    <LineChart
      title={title}
      meaning={meaning}
      metric={curve.name}
      series={series}
      unit={curve.unit}
      height={150}
      legend={false}
    />
  );
}

/** Training episodes, held-out tasks with their intervals, and the teacher's own success, in one picture. */
function successSeries(curves: readonly Curve[], evaluations: RunDetail["evaluations"]): Series[] {
  const training = curves.find(({ name }) => name === "success");
  const points = (...phases: readonly string[]): Series["points"] =>
    evaluations
      .filter(({ phase }) => phases.includes(phase))
      .map(({ update, value, low, high }) => ({ x: update, y: value, low, high }))
      .sort((left, right) => left.x - right.x);
  return [
    { name: "held-out tasks", colour: 0, points: points("before", "after"), marks: "points" as const },
    { name: "validation tasks", colour: 2, points: points("validation"), marks: "points" as const },
    { name: "training episodes", colour: 1, points: training?.points ?? [] },
    { name: "teacher with skills", colour: 3, points: points("probe"), marks: "points" as const },
  ].filter((one) => one.points.length > 0);
}

function shiftSeries(curves: readonly Curve[]): Series[] {
  return SHIFTS.flatMap(([name, label], colour) => {
    const curve = curves.find((one) => one.name === name);
    return curve === undefined ? [] : [{ name: label, colour, points: curve.points }];
  });
}

function phaseSeries(curves: readonly Curve[]): Series[] {
  return curves
    .filter(({ topic }) => topic === "phase")
    .map(({ name, points }, colour) => ({ name: name.replace(/^seconds\//, ""), colour, points }));
}
