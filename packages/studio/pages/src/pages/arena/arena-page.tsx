/** Arenas: recipes against each other under one budget, with what the data can tell apart. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ArenaDetail } from "../../../../src/serve/api.ts";
import { hasInterval } from "../../../../src/serve/shown.ts";
import { ChartBar } from "../../chart/chart-bar.tsx";
import { LineChart } from "../../chart/line-chart.tsx";
import { useAnswer } from "../../client/use-answer.ts";
import { moment, rate, plural } from "../../format/numbers.ts";
import { useLinkKeys } from "../../keys/use-link-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { rowLink } from "../../parts/row-link.ts";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { ArenaPairs, ArenaTable } from "./arena-table.tsx";

export function ArenaPage({ id }: { readonly id: string | undefined }): JSX.Element {
  useLinkKeys("Arena", ".rollouts a.clip, table a");
  return id === undefined ? <Arenas /> : <Arena id={id} />;
}

function Arenas(): JSX.Element {
  const asked = useAnswer("arenas", {});
  return (
    <>
      <PageHead title="Arena" lead="Recipes against each other: the same tasks, the same budget, several seeds." />
      <Answered asked={asked} what="the arenas">
        {({ arenas }) =>
          arenas.length === 0 ? (
            <p class="empty">
              No arena has been held in this store. <code>limbeck arena</code> holds one.
            </p>
          ) : (
            <ul class="rollouts">
              {arenas.map((one) => (
                <li key={one.id} {...rowLink(writePlace(["arena", one.id]))}>
                  <span class={`badge ${one.problem === null ? (one.done < one.planned ? "live" : "good") : "bad"}`}>
                    {one.done} of {plural(one.planned, "run")}
                  </span>
                  <a class="clip" href={writePlace(["arena", one.id])}>
                    {visibleLine(one.id, 80)}
                  </a>
                  <span class="soft clip">{visibleLine(one.problem ?? one.arms.join(", "), 120)}</span>
                  <span class="soft number">{plural(one.seeds, "seed")}</span>
                  <span class="soft number">{moment(one.createdAt)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </>
  );
}

function Arena({ id }: { readonly id: string }): JSX.Element {
  const asked = useAnswer("arena", { of: id });
  return (
    <>
      <PageHead
        title={id}
        crumbs={[{ label: "Arena", href: writePlace(["arena"]) }]}
        lead={
          asked.value === undefined
            ? undefined
            : `${asked.value.env ?? ""} · ${plural(asked.value.seeds, "seed")} · ${asked.value.done} of ${plural(asked.value.planned, "run")} done`
        }
      />
      <Answered asked={asked} what="the arena">
        {(value) => <Shown value={value} />}
      </Answered>
    </>
  );
}

function Shown({ value }: { readonly value: ArenaDetail }): JSX.Element {
  const arms = useMemo(() => new Map(value.table.map(({ arm }, at) => [arm, at])), [value]);
  const curves = useMemo(
    () => value.curves.map(({ arm, points }) => ({ name: arm, colour: arms.get(arm) ?? 0, points })),
    [value, arms],
  );
  return (
    <>
      {value.problem !== null && (
        <p class="note bad">
          <Visible text={value.problem} />
        </p>
      )}
      <Verdict value={value} />
      <ArenaTable arms={value.table} colours={arms} />
      {curves.length > 0 && <ChartBar xLabel={value.budget} />}
      {curves.length > 0 && (
        <LineChart title="Success by budget" series={curves} unit="share" xLabel={value.budget} height={300} legend />
      )}
      <ArenaPairs pairs={value.pairs} />
      {value.notes.length > 0 && (
        <section class="section" aria-label="Notes">
          <h2>Notes</h2>
          {value.notes.map((note) => (
            <p class="note" key={note}>
              <Visible text={note} />
            </p>
          ))}
        </section>
      )}
    </>
  );
}

/** Who came first, or that nobody can say: an order that the data does not support is never suggested. */
function Verdict({ value: { table, seeds } }: { readonly value: ArenaDetail }): JSX.Element | null {
  const firsts = table.filter(({ rank }) => rank === 1);
  const [first] = firsts;
  if (first === undefined || table.length < 2) return null;
  if (firsts.length > 1) {
    return (
      <p>
        <b>No winner:</b> {plural(seeds, "seed")} do not tell{" "}
        {visibleLine(firsts.map(({ arm }) => arm).join(", "), 200)} apart. Arms that the data cannot separate share a
        rank.
      </p>
    );
  }
  return (
    <p>
      First: <b>{visibleLine(first.arm, 60)}</b>
      {first.final !== null &&
        `, with ${rate(first.final.value)} of held-out tasks solved (${!hasInterval(seeds) ? `${plural(seeds, "seed")}, too few for an interval` : `95 % interval over ${plural(seeds, "seed")}: [${rate(first.final.low)}, ${rate(first.final.high)}]`})`}
      .
    </p>
  );
}
