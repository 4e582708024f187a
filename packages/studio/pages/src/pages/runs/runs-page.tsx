/** Every run of the store, newest first; any set of them can be compared. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Answer, Query, RunItem, StoreEvents } from "../../../../src/serve/api.ts";
import { useAnswer, type Asked } from "../../client/use-answer.ts";
import { useStream, type Heard } from "../../client/use-stream.ts";
import { plural } from "../../format/numbers.ts";
import { useListKeys } from "../../keys/use-list-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { FirstSteps } from "../../parts/first-steps.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Pager } from "../../parts/pager.tsx";
import { StreamTrouble } from "../../parts/stream-trouble.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { setting, settings, wholeSetting } from "../../route/place.ts";
import { go, refine, usePlace } from "../../route/use-place.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunsTable } from "./runs-table.tsx";

const LIMIT = 50;

export function RunsPage(): JSX.Element {
  const place = usePlace();
  const search = setting(place, "q") ?? "";
  const offset = wholeSetting(place, "from") ?? 0;
  const tag = settings(place, "tag");
  const archived = setting(place, "archived") === "only" ? "only" : "hide";
  const chosenRuns = search !== "" || tag.length > 0 || archived === "only";
  const asked = useRuns({ search, offset, limit: LIMIT, tag: [...tag], archived });
  const { runs, heard } = useLiveRuns(asked, !chosenRuns && offset === 0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string): void =>
    setChosen((held) => (held.has(id) ? new Set([...held].filter((one) => one !== id)) : new Set([...held, id])));
  const compare = (): void => {
    if (chosen.size > 1) go(["compare"], { run: [...chosen] });
  };
  const held = useListKeys(
    "Runs",
    runs.length,
    (row) => go(["runs", runs[row]?.id ?? ""]),
    (row) => [
      { keys: "x", meaning: "choose the run for a comparison", run: () => row >= 0 && choose(runs[row]?.id ?? "") },
      { keys: "c", meaning: "compare the chosen runs", run: compare },
    ],
  );
  return (
    <>
      <PageHead title="Runs" lead="Trainings, rollouts, recordings and imports of this store.">
        <SearchField
          label="Search runs"
          value={search}
          change={(q) => refine(place, { q, from: undefined })}
          placeholder="id, recipe, world, tag"
        />
        <button class="button primary" type="button" disabled={chosen.size < 2} onClick={compare}>
          {chosen.size < 2 ? "Choose two to compare" : `Compare ${plural(chosen.size, "run")}`}
        </button>
      </PageHead>
      <RunFilters asked={asked.value} />
      {asked.failure === undefined && <StreamTrouble heard={heard} />}
      <Answered asked={asked} what="the runs">
        {(page) =>
          runs.length === 0 ? (
            chosenRuns || page.archived > 0 ? (
              <p class="empty">No run fits.</p>
            ) : (
              <FirstSteps what="There are no runs yet." />
            )
          ) : (
            <>
              <RunsTable runs={runs} chosen={chosen} choose={choose} held={held} />
              <Pager
                page={page}
                go={(from) => refine(place, { from: from === 0 ? undefined : String(from) })}
                what="run"
              />
            </>
          )
        }
      </Answered>
    </>
  );
}

/** The rows at once, and again with their figures where the server has yet to read some. */
function useRuns(query: Omit<Query<"runs">, "figures">): Asked<Answer<"runs">> {
  const soon = useAnswer("runs", { query: { ...query, figures: "known" } });
  const waits = soon.value?.runs.some(({ reading }) => reading) === true;
  const whole = useAnswer("runs", waits ? { query: { ...query, figures: "whole" } } : undefined);
  const read = new Map(whole.value?.runs.map((run) => [run.id, run]));
  const runs = soon.value?.runs.map((run) => (run.reading ? (read.get(run.id) ?? run) : run)) ?? [];
  const value = soon.value === undefined ? undefined : { ...soon.value, runs };
  return { ...soon, value, failure: soon.failure ?? whole.failure };
}

/** The answer, with what has changed since. New runs come to the front of the first page. */
function useLiveRuns(
  asked: Asked<Answer<"runs">>,
  front: boolean,
): { readonly runs: readonly RunItem[]; readonly heard: Heard } {
  const [changed, setChanged] = useState<ReadonlyMap<string, RunItem | undefined>>(new Map());
  const heard = useStream(undefined, (event, data) => {
    if (event !== "changes") return;
    const { runs, gone } = data as StoreEvents["changes"];
    setChanged(
      (held) =>
        new Map([...held, ...runs.map((run) => [run.id, run] as const), ...gone.map((id) => [id, undefined] as const)]),
    );
  });
  useEffect(() => {
    // A run that was killed commits nothing any more, so no event tells that it has stopped.
    const look = (): void => {
      if (document.visibilityState === "visible") asked.reload();
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [asked.reload]);
  const listed = asked.value?.runs ?? [];
  const known = new Set(listed.map(({ id }) => id));
  const fresh = front ? [...changed.values()].filter((run) => run !== undefined && !known.has(run.id)) : [];
  const current = listed.map((run) => (changed.has(run.id) ? changed.get(run.id) : run));
  const runs = [...fresh, ...current]
    .filter((run) => run !== undefined)
    .sort(
      (left, right) =>
        Number(right.labels.pinned) - Number(left.labels.pinned) ||
        (left.createdAt < right.createdAt ? 1 : left.createdAt > right.createdAt ? -1 : 0),
    );
  return { runs, heard };
}
