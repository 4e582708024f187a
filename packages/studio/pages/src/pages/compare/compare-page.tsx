/** A set of runs against each other: curves with bands, the paired difference, and what was set differently. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Comparison, CurveTopic } from "../../../../src/serve/api.ts";
import { ChartBar } from "../../chart/chart-bar.tsx";
import { LineChart } from "../../chart/line-chart.tsx";
import { metricWords } from "../../chart/metric-words.ts";
import type { Series } from "../../chart/series.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { plural } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Choice, Estimate, Share, StatusBadge } from "../../parts/figures.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { setting, settings, writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { DifferenceMark } from "./difference-mark.tsx";
import { SettingsDiff } from "./settings-diff.tsx";

/** Measured now and then: marks with their intervals, not lines. */
const SELDOM: ReadonlySet<string> = new Set(["held-out success", "validation success", "teacher's own success"]);
const FIRST: readonly CurveTopic[] = ["success", "reward", "entropy", "kl"];

export function ComparePage(): JSX.Element {
  const runs = settings(usePlace(), "run");
  const asked = useAnswer("compare", runs.length === 0 ? undefined : { query: { runs: runs.join(",") } });
  return (
    <>
      <PageHead
        title="Compare"
        crumbs={[{ label: "Runs", href: writePlace(["runs"]) }]}
        lead="The first run is the one that the others are compared with."
      />
      {runs.length === 0 ? (
        <p class="empty">
          Choose runs on the <a href={writePlace(["runs"])}>list of runs</a>.
        </p>
      ) : (
        <Answered asked={asked} what="the comparison">
          {(value) => <Compared value={value} />}
        </Answered>
      )}
    </>
  );
}

type Grouping = "runs" | "arms";

function Compared({ value }: { readonly value: Comparison }): JSX.Element {
  const place = usePlace();
  const banded = value.curves.some(({ arms }) => arms.some((arm) => arm.runs.length > 1));
  // Seeds of one arm are one thing; who wants to see each of them says so.
  const grouping: Grouping = banded && setting(place, "lines") !== "runs" ? "arms" : "runs";
  const colours = useMemo(() => new Map(value.runs.map(({ id }, at) => [id, at])), [value.runs]);
  return (
    <>
      <Summary value={value} />
      {banded && (
        <Choice
          legend="Lines"
          name="grouping"
          value={grouping}
          options={[
            { value: "arms", label: "seeds together, with band" },
            { value: "runs", label: "each run" },
          ]}
          choose={(lines: Grouping) => refine(place, { lines: lines === "runs" ? lines : undefined })}
        />
      )}
      <Curves value={value} grouping={grouping} colours={colours} />
      <SettingsDiff settings={value.settings} runs={value.runs.map(({ id }) => id)} />
    </>
  );
}

function Summary({ value }: { readonly value: Comparison }): JSX.Element {
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">Status</th>
            <th scope="col">Recipe</th>
            <th scope="col">Held-out success</th>
            <th scope="col">First run minus this, same tasks</th>
          </tr>
        </thead>
        <tbody>
          {value.runs.map((run, at) => {
            const pair = value.pairs.find(({ right }) => right === run.id);
            return (
              <tr key={run.id}>
                <th scope="row" class="name">
                  <span class="row">
                    <span class="swatch" style={{ background: `var(--c${at % 8})` }} aria-hidden="true" />
                    <a href={writePlace(["runs", run.id])}>{visibleLine(run.id, 80)}</a>
                  </span>
                </th>
                <td data-label="Status">
                  <StatusBadge status={run.status} />
                </td>
                <td data-label="Recipe">{visibleLine(run.recipe ?? run.kind, 60)}</td>
                <td data-label="Success">
                  <Share share={run.success ?? run.stored} />
                </td>
                <td data-label="Difference">
                  {at === 0 ? (
                    <span class="soft">compared with</span>
                  ) : pair?.after === undefined || pair.after === null ? (
                    <span class="soft">no task in common</span>
                  ) : (
                    <span class="row">
                      <DifferenceMark difference={pair.after} />
                      <span>
                        <Estimate
                          value={pair.after.difference}
                          low={pair.after.low}
                          high={pair.after.high}
                          difference
                        />{" "}
                        <span class="soft">{plural(pair.after.tasks, "task")}</span>
                      </span>
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface CurvesProps {
  readonly value: Comparison;
  readonly grouping: Grouping;
  readonly colours: ReadonlyMap<string, number>;
}

function Curves({ value, grouping, colours }: CurvesProps): JSX.Element {
  const charts = useMemo(
    () =>
      value.curves
        .map((curve) => ({
          curve,
          lines:
            grouping === "runs"
              ? curve.series.map(({ run, points }): Series => ({ name: run, colour: colours.get(run) ?? 0, points }))
              : seedsTogether(curve, colours),
        }))
        .map(({ curve, lines }) => ({
          curve,
          lines: SELDOM.has(curve.name) ? lines.map((line) => ({ ...line, marks: "points" as const })) : lines,
        })),
    [value, grouping, colours],
  );
  const first = charts.filter(({ curve }) => FIRST.includes(curve.topic));
  const rest = charts.filter(({ curve }) => !FIRST.includes(curve.topic));
  const draw = (some: typeof charts): JSX.Element => (
    <div class="columns">
      {some.map(({ curve, lines }) => {
        const { title, meaning } = metricWords(curve.name);
        return (
          <LineChart
            key={curve.name}
            title={title}
            meaning={meaning}
            metric={curve.name}
            series={lines}
            unit={curve.unit}
            legend
          />
        );
      })}
    </div>
  );
  return (
    <section class="section" aria-label="Curves">
      <div class="row spread">
        <h2>Curves</h2>
        {charts.length > 0 && <ChartBar />}
      </div>
      {grouping === "arms" && (
        <p class="soft small">
          Runs that differ in their seed alone are one line, their mean. Its band is a 95 % bootstrap interval over the
          runs, of three their range; two runs have none.
        </p>
      )}
      {charts.length === 0 ? <p class="soft">None of these runs has a metric.</p> : draw(first)}
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          {draw(rest)}
        </details>
      )}
    </section>
  );
}

/** Arms of several seeds as one line each; a run that has no sister stays a line of its own. */
function seedsTogether(curve: Comparison["curves"][number], colours: ReadonlyMap<string, number>): Series[] {
  const joined = new Set(curve.arms.flatMap(({ runs }) => runs));
  const arms = curve.arms.map(({ arm, runs, points }) => ({ name: arm, run: runs[0] ?? "", points }));
  const alone = curve.series
    .filter(({ run }) => !joined.has(run))
    .map(({ run, points }) => ({ name: run, run, points }));
  return [...arms, ...alone].map(({ name, run, points }) => ({ name, colour: colours.get(run) ?? 0, points }));
}
