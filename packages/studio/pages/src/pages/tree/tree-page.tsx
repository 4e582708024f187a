/** A group of episodes as the tree they form: where they parted, how often each way was taken, what it returned. */
import type { JSX } from "preact";
import type { Outcome } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { decimal, plural } from "../../format/numbers.ts";
import { useLinkKeys } from "../../keys/use-link-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { InertText } from "../../parts/inert-text.tsx";
import { FirstSteps } from "../../parts/first-steps.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { setting, wholeSetting, writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { Pager } from "../../parts/pager.tsx";
import { visibleLine } from "../../text/visible-text.ts";
import { Forest } from "./forest.tsx";

const CHOSEN_WORDS: Readonly<Record<Outcome, string>> = {
  success: "solved the task",
  failure: "did not solve the task",
  unknown: "nobody has judged",
};

export interface TreePageProps {
  readonly run: string | undefined;
  readonly group: string | undefined;
}

export function TreePage({ run, group }: TreePageProps): JSX.Element {
  useLinkKeys("Trees", ".rollouts a.clip, .stretch");
  if (run === undefined) return <ChooseRun />;
  return group === undefined ? <ChooseGroup run={run} /> : <Drawn run={run} group={group} />;
}

function ChooseRun(): JSX.Element {
  const asked = useAnswer("runs", { query: { limit: 100, figures: "known" } });
  return (
    <>
      <PageHead title="Trees" lead="Choose a run; then one of its groups is drawn." />
      <Answered asked={asked} what="the runs">
        {({ runs }) =>
          runs.length === 0 ? (
            <FirstSteps what="There are no runs yet." />
          ) : (
            <ul class="rollouts">
              {runs.map((run) => (
                <li key={run.id}>
                  <span class="badge">{run.kind}</span>
                  <a class="clip" href={writePlace(["runs", run.id, "tree"])}>
                    {visibleLine(run.id, 80)}
                  </a>
                  <span class="soft number">{plural(run.trajectories, "episode")}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </>
  );
}

function ChooseGroup({ run }: { readonly run: string }): JSX.Element {
  const place = usePlace();
  const mixed = setting(place, "mixed") === "only";
  const offset = wholeSetting(place, "from") ?? 0;
  const asked = useAnswer("groups", { of: run, query: { limit: 50, offset, ...(mixed ? { mixed: "true" } : {}) } });
  return (
    <>
      <PageHead
        title="Groups"
        crumbs={[
          { label: "Runs", href: writePlace(["runs"]) },
          { label: run, href: writePlace(["runs", run]) },
        ]}
        lead="Episodes of one task that are compared with each other."
      >
        <label class="row">
          <input
            type="checkbox"
            checked={mixed}
            onChange={({ currentTarget }) =>
              refine(place, { mixed: currentTarget.checked ? "only" : undefined, from: undefined })
            }
          />
          only with both success and failure
        </label>
      </PageHead>
      <Answered asked={asked} what="the groups">
        {(page) => (
          <>
            {page.groups.length === 0 && (
              <p class="empty">No group {mixed ? "has both a success and a failure." : "is stored."}</p>
            )}
            {mixed && page.alike > 0 && (
              <p class="soft">
                {plural(page.alike, "group")} whose episodes all ended alike {page.alike === 1 ? "is" : "are"} left out.
              </p>
            )}
            <ul class="rollouts">
              {page.groups.map((one) => (
                <li key={one.group}>
                  <span class="badge">{one.update === null ? "–" : `update ${one.update}`}</span>
                  <a class="clip" href={writePlace(["runs", run, "tree", one.group])}>
                    {visibleLine(one.goal || one.group, 120)}
                  </a>
                  {one.chosen === null ? (
                    <span class="soft number">
                      {one.solved} of {one.episodes} solved
                    </span>
                  ) : (
                    <span class="number">
                      <span class="soft">{plural(one.episodes, "line")}, the chosen one</span>{" "}
                      <OutcomeBadge outcome={one.chosen} />
                    </span>
                  )}
                  <span class="soft number">{one.branches > 0 ? plural(one.branches, "branch", "branches") : ""}</span>
                </li>
              ))}
            </ul>
            <Pager
              page={page}
              go={(from) => refine(place, { from: from === 0 ? undefined : String(from) })}
              what="group"
            />
          </>
        )}
      </Answered>
    </>
  );
}

function Drawn({ run, group }: { readonly run: string; readonly group: string }): JSX.Element {
  const asked = useAnswer("group", { of: run, query: { id: group } });
  return (
    <>
      <PageHead
        title="Tree"
        crumbs={[
          { label: "Runs", href: writePlace(["runs"]) },
          { label: run, href: writePlace(["runs", run]) },
          { label: "groups", href: writePlace(["runs", run, "tree"]) },
        ]}
        {...(asked.value === undefined
          ? {}
          : { lead: <InertText text={asked.value.goal || asked.value.task} first={300} /> })}
      >
        <a class="button" href={writePlace(["trajectories"], { run, group })}>
          As a table
        </a>
      </PageHead>
      <Answered asked={asked} what="the group">
        {(value) => (
          <>
            <p class="soft">
              {value.chosen !== null && (
                <>
                  The search chose a line that {CHOSEN_WORDS[value.chosen]}, marked <span class="chosen-mark">★</span>{" "}
                  and drawn in full colour.{" "}
                </>
              )}
              {plural(value.episodes, value.chosen === null ? "episode" : "line")}, {value.solved} solved, mean reward{" "}
              {decimal(value.meanReward, 2)}
              {value.branches > 0 && `, ${plural(value.branches, "branch", "branches")}`}. A box is a stretch without a
              decision, “+3” more steps of it; ×5 episodes came through. Blue did better than the group, orange worse.
            </p>
            {value.cut && <p class="note">The group is larger than what is drawn here.</p>}
            <Forest group={value} />
            <section class="section" aria-label="Episodes of the group">
              <h2>Episodes</h2>
              <ul class="rollouts">
                {value.trajectories.map((one) => (
                  <li key={one.id}>
                    <OutcomeBadge outcome={one.outcome} />
                    {one.chosen && <span class="badge live-still">★ chosen</span>}
                    <a class="clip" href={writePlace(["runs", run, "trajectory", one.id])}>
                      {visibleLine(one.id, 100)}
                    </a>
                    <span class="soft number">
                      {one.parent === null ? "" : `left its parent at step ${one.parent.step}`}
                    </span>
                    <span class="soft number">{plural(one.steps, "step")}</span>
                    <span class="number">{decimal(one.reward, 2)}</span>
                  </li>
                ))}
              </ul>
            </section>
          </>
        )}
      </Answered>
    </>
  );
}
