/** One run while it learns and afterwards: how far, how well, what the teacher did, and the episodes as they finish. */
import type { JSX } from "preact";
import type { RunDetail } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import type { StreamState } from "../../client/use-stream.ts";
import { bytes, count, duration, moment, percent, signed } from "../../format/numbers.ts";
import { worldText } from "../../format/world.ts";
import { useShortcuts } from "../../keys/shortcuts.tsx";
import { useLinkKeys } from "../../keys/use-link-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { Share, StatusBadge } from "../../parts/figures.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { StreamTrouble } from "../../parts/stream-trouble.tsx";
import { writePlace } from "../../route/place.ts";
import { go } from "../../route/use-place.ts";
import { CreditedGroups, Families, Settings } from "./run-details.tsx";
import { startLive } from "./live-run.ts";
import { useLiveRun } from "./use-live-run.ts";
import { RunCharts } from "./run-charts.tsx";
import { Rollouts } from "./rollouts.tsx";

export function RunPage({ run }: { readonly run: string }): JSX.Element {
  const asked = useAnswer("run", { of: run });
  const { live, heard } = useLiveRun(run, asked.value);
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
            <Headline detail={detail} />
            <RunCharts detail={detail} />
            <Notices detail={detail} />
            <Rollouts run={run} arrived={arrived} arrivedCount={arrivedCount} />
            <CreditedGroups detail={detail} />
            <Families detail={detail} />
            <Settings detail={detail} />
          </>
        );
      }}
    </Answered>
  );
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
    detail.recipe,
    credit,
    detail.env === null ? null : worldText(detail.env),
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
          {detail.status === "running" && (
            <>
              {" "}
              · <span role="status">{STREAM_WORDS[state]}</span>
            </>
          )}
        </>
      }
    >
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

/** Their time is that of the clock; of recordings only the episodes' own times are known. */
const RECORDED = ["import", "record"];

function Headline({ detail }: { readonly detail: RunDetail }): JSX.Element {
  const { updates, success, cost } = detail;
  const share =
    updates === null || updates.planned === null || updates.planned === 0 ? 0 : updates.done / updates.planned;
  return (
    <section class="headline card" aria-label="How far and how well">
      {updates !== null && (
        <div class="far">
          <p>
            <b data-testid="updates-done">{count(updates.done)}</b> of {count(updates.planned)} updates
          </p>
          <div class="progress" role="progressbar" aria-label="Updates done" aria-valuenow={Math.round(share * 100)}>
            <span style={{ width: `${Math.min(1, share) * 100}%` }} />
          </div>
        </div>
      )}
      <dl class="facts">
        <SuccessFacts detail={detail} />
        <Fact label="Episodes" value={count(detail.trajectories)} />
        <Fact label="Environment steps" value={count(cost.environmentSteps ?? detail.steps)} />
        {cost.sampledTokens !== null && <Fact label="Sampled tokens" value={count(cost.sampledTokens)} />}
        {cost.seconds !== null && (
          <Fact
            label={RECORDED.includes(detail.kind) ? "Time of all episodes" : "Time"}
            value={duration(cost.seconds)}
          />
        )}
        {cost.usd !== null && <Fact label="Paid" value={`$${cost.usd.toFixed(2)}`} />}
        <Fact label="On disk" value={bytes(detail.bytes)} />
        {detail.end !== null && <Fact label="Ended" value={`${detail.end.reason}, update ${detail.end.update}`} />}
        {success !== null && success.invalid !== null && (
          <Fact label="Refused actions" value={percent(success.invalid)} />
        )}
      </dl>
    </section>
  );
}

function SuccessFacts({ detail }: { readonly detail: RunDetail }): JSX.Element {
  const { success, before, change } = detail;
  return (
    <>
      {before !== null && (
        <div>
          <dt>Held-out success before</dt>
          <dd>
            <Share share={before} />
          </dd>
        </div>
      )}
      {success !== null && success.phase !== "before" && (
        <div>
          <dt>{success.phase === "after" ? "after training" : `newest ${success.phase}`}</dt>
          <dd>
            <Share share={success} />
          </dd>
        </div>
      )}
      {change !== null && (
        <div>
          <dt>Change on the same {count(change.tasks)} tasks</dt>
          <dd>
            {signed(change.difference * 100, 0)} points{" "}
            <span class="soft">
              [{signed(change.low * 100, 0)}, {signed(change.high * 100, 0)}]
            </span>
          </dd>
        </div>
      )}
      {detail.stored !== null && success === null && (
        <div>
          <dt>Success of stored episodes</dt>
          <dd>
            <Share share={detail.stored} />
          </dd>
        </div>
      )}
    </>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Visible text={value} />
      </dd>
    </div>
  );
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
