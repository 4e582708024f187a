/** One run while it learns and afterwards: how far, how well, what the teacher did, and the episodes as they finish. */
import type { JSX } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { RunDetail } from "../../../../src/serve/api.ts";
import { MetaContext, useAnswer } from "../../client/use-answer.ts";
import type { StreamState } from "../../client/use-stream.ts";
import { moment } from "../../format/numbers.ts";
import { goesOn, storedWorldWords } from "../../../../src/serve/shown.ts";
import { useShortcuts } from "../../keys/shortcuts.tsx";
import { useLinkKeys } from "../../keys/use-link-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { StatusBadge } from "../../parts/figures.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { StreamTrouble } from "../../parts/stream-trouble.tsx";
import { writePlace } from "../../route/place.ts";
import { go } from "../../route/use-place.ts";
import { StopTraining } from "../train/stop-training.tsx";
import { BeforeAndAfter } from "./before-after.tsx";
import { startLive } from "./live-run.ts";
import { Result } from "./result.tsx";
import { RunCharts } from "./run-charts.tsx";
import { CreditedGroups, Families, Settings } from "./run-details.tsx";
import { RunLabels } from "./run-labels.tsx";
import { Rollouts } from "./rollouts.tsx";
import { TellingSkills } from "./telling-skills.tsx";
import { useLiveRun } from "./use-live-run.ts";

export function RunPage({ run }: { readonly run: string }): JSX.Element {
  const asked = useAnswer("run", { of: run });
  const { live, heard } = useLiveRun(run, asked.value);
  useAgainAtEnd(live?.detail.status, asked.reload);
  useLinkKeys("Episodes", ".rollouts a.clip");
  useShortcuts("Run", [
    { keys: "e", meaning: "episodes of this run", run: () => go(["trajectories"], { run }) },
    { keys: "b", meaning: "trees of this run", run: () => go(["runs", run, "tree"]) },
  ]);
  return (
    <Answered asked={asked} what="the run">
      {(value) => {
        const { detail, arrived, arrivedCount, gone } = live ?? startLive(value);
        return (
          <>
            <Head detail={detail} state={heard.state} />
            <RunLabels run={run} labels={detail.labels} reload={asked.reload} />
            {gone === undefined && <StreamTrouble heard={heard} />}
            {gone !== undefined && (
              <div class="note bad" role="alert">
                <h2>This run is no longer there</h2>
                <p>
                  <Visible text={gone.message} /> What you see is what the page had read before.{" "}
                  <a href={writePlace(["runs"])}>All runs</a>
                </p>
              </div>
            )}
            {detail.problem !== null && (
              <div class="note bad" role="alert">
                <h2>This run cannot be read</h2>
                <p>
                  <Visible text={detail.problem} />
                </p>
              </div>
            )}
            <Result detail={detail} />
            <Families detail={detail} />
            <BeforeAndAfter detail={detail} />
            <RunCharts detail={detail} />
            <Notices detail={detail} />
            <TellingSkills detail={detail} />
            <Rollouts run={run} arrived={arrived} arrivedCount={arrivedCount} />
            <CreditedGroups detail={detail} />
            <Settings detail={detail} />
          </>
        );
      }}
    </Answered>
  );
}

/** What only a whole run can tell (the tasks before and after, episodes side by side) is asked for when it has ended. */
function useAgainAtEnd(status: RunDetail["status"] | undefined, reload: () => void): void {
  const before = useRef(status);
  useEffect(() => {
    if (goesOn(before.current) && status === "finished") reload();
    before.current = status;
  }, [status, reload]);
}

const STREAM_WORDS: Readonly<Record<StreamState, string>> = {
  connecting: "connecting …",
  open: "updates by itself",
  broken: "connection lost, trying again …",
};

function Head({ detail, state }: { readonly detail: RunDetail; readonly state: StreamState }): JSX.Element {
  // A recipe often has the name of its credit method.
  const credit = detail.credit === detail.recipe ? null : detail.credit;
  const made = [
    detail.recipe ?? detail.kind,
    credit,
    detail.env === null ? null : storedWorldWords(detail.env),
    detail.seed === null ? null : `seed ${detail.seed}`,
  ];
  return (
    <PageHead
      title={detail.id}
      crumbs={[{ label: "Runs", href: writePlace(["runs"]) }]}
      badge={<StatusBadge status={detail.status} />}
      lead={
        <>
          <Visible text={made.filter((one) => one !== null).join(" · ")} /> · started {moment(detail.createdAt)}
          {goesOn(detail.status) && (
            <>
              {" "}
              · <span role="status">{STREAM_WORDS[state]}</span>
            </>
          )}
        </>
      }
    >
      <StopHere run={detail.id} status={detail.status} />
      <a class="button" href={writePlace(["trajectories"], { run: detail.id })}>
        Episodes
      </a>
      <a class="button" href={writePlace(["runs", detail.id, "tree"])}>
        Trees
      </a>
      <a class="button" href={writePlace(["skills"], { source: "run", run: detail.id })}>
        Skills
      </a>
    </PageHead>
  );
}

/** A training that was started from this studio can be stopped here too. */
function StopHere({ run, status }: { readonly run: string; readonly status: RunDetail["status"] }): JSX.Element | null {
  const trainable = useContext(MetaContext)?.trainable === true;
  const asked = useAnswer("trainings", trainable && goesOn(status) ? {} : undefined);
  const own = asked.value?.trainings.find((one) => one.run === run && one.endedAt === null);
  if (own === undefined) return null;
  return <StopTraining run={run} disabled={own.state === "stopping"} stopped={asked.reload} />;
}

function Notices({ detail }: { readonly detail: RunDetail }): JSX.Element | null {
  if (detail.notices.length === 0) return null;
  return (
    <section class="section" aria-label="Notices">
      <h2>Notices</h2>
      {detail.notices.slice(-20).map(({ update, message, time }) => (
        <p class="note" key={`${time} ${update} ${message}`}>
          <span class="soft">update {update}</span> <Visible text={message} />
        </p>
      ))}
    </section>
  );
}
