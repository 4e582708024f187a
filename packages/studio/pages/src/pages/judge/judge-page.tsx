/** Episodes that nobody has judged, one after the other. */
import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { MetaContext, useAnswer } from "../../client/use-answer.ts";
import { plural } from "../../format/numbers.ts";
import { useLinkKeys } from "../../keys/use-link-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Pick } from "../../parts/pick.tsx";
import { rowLink } from "../../parts/row-link.ts";
import { setting, writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";

const SHOWN = 50;

export function JudgePage(): JSX.Element {
  const place = usePlace();
  const run = setting(place, "run") ?? "";
  const writable = useContext(MetaContext)?.writable === true;
  const runs = useAnswer("runs", { query: { limit: 200, figures: "known" } });
  const scope = run === "" ? {} : { run: [run] };
  const asked = useAnswer("trajectories", {
    query: { ...scope, outcome: "unknown", sort: "stored", order: "up", limit: SHOWN },
  });
  useLinkKeys("Queue", ".rollouts a.clip");
  const queue = run === "" ? "*" : run;
  const first = asked.value?.trajectories[0];
  return (
    <>
      <PageHead
        title="Judge"
        lead="Episodes without a verdict. Pass, fail or a comment is kept beside each as a reward with your name; trainings, reports and preference pairs use it."
      >
        <Pick
          label="Run"
          value={run}
          any="every run"
          options={(runs.value?.runs ?? []).filter(({ problem }) => problem === null).map(({ id }) => ({ value: id }))}
          change={(next) => refine(place, { run: next })}
        />
        {first !== undefined && (
          <a class="button primary" href={writePlace(["runs", first.run, "trajectory", first.id], { queue })}>
            Begin
          </a>
        )}
      </PageHead>
      {!writable && (
        <p class="note">
          This studio only reads. Start it with <code>limbeck studio --write</code> to keep verdicts.
        </p>
      )}
      <Answered asked={asked} what="the queue">
        {(page) =>
          page.trajectories.length === 0 ? (
            <p class="empty">
              Nothing waits to be judged{run === "" ? "" : " in this run"}. Recorded and imported agents have no verdict
              of their own: <code>limbeck import FILE</code> brings some in.
            </p>
          ) : (
            <>
              <p class="soft">{plural(page.total, "episode")} wait.</p>
              <ul class="rollouts">
                {page.trajectories.map((one) => (
                  <li
                    key={`${one.run} ${one.id}`}
                    {...rowLink(writePlace(["runs", one.run, "trajectory", one.id], { queue }))}
                  >
                    <span class="badge">{visibleLine(one.run, 30)}</span>
                    <a class="clip" href={writePlace(["runs", one.run, "trajectory", one.id], { queue })}>
                      {visibleLine(one.goal, 160) || visibleLine(one.id, 80)}
                    </a>
                    <span class="soft number">{plural(one.steps, "step")}</span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Answered>
    </>
  );
}
