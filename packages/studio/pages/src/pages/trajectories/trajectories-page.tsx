/** Every episode of the store as a table: searched, filtered, sorted; the view is the address. */
import type { JSX } from "preact";
import { useAnswer } from "../../client/use-answer.ts";
import { useListKeys } from "../../keys/use-list-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { Choice } from "../../parts/figures.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { FirstSteps } from "../../parts/first-steps.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Pager } from "../../parts/pager.tsx";
import { setting, settings } from "../../route/place.ts";
import { go, refine, usePlace } from "../../route/use-place.ts";
import { FilterBar } from "./filter-bar.tsx";
import { SqlPanel } from "./sql-panel.tsx";
import { TrajectoryTable } from "./trajectory-table.tsx";
import { isFiltered, readView } from "./view.ts";
import { ViewLinks } from "./view-links.tsx";

export function TrajectoriesPage(): JSX.Element {
  const place = usePlace();
  const mode = setting(place, "mode") === "sql" ? "sql" : "table";
  return (
    <>
      <PageHead
        title="Trajectories"
        lead="What the agents saw and did, episode by episode. The address holds the view: keep it, or pass it on."
      >
        <Choice
          legend="By"
          name="mode"
          value={mode}
          options={[
            { value: "table", label: "filters" },
            { value: "sql", label: "SQL" },
          ]}
          choose={(value) => refine(place, { mode: value === "sql" ? "sql" : undefined })}
        />
        <ViewLinks />
      </PageHead>
      {mode === "sql" ? <SqlPanel /> : <Filtered />}
    </>
  );
}

function Filtered(): JSX.Element {
  const place = usePlace();
  const view = readView(place);
  const asked = useAnswer("trajectories", { query: view });
  const facets = useAnswer("facets", { query: { run: [...settings(place, "run")] } });
  const rows = asked.value?.trajectories ?? [];
  const held = useListKeys("Trajectories", rows.length, (row) => {
    const one = rows[row];
    if (one !== undefined) go(["runs", one.run, "trajectory", one.id]);
  });
  return (
    <>
      <FilterBar facets={facets.value} view={view} />
      <Answered asked={asked} what="the trajectories">
        {(page) => (
          <>
            {page.broken.map(({ run, problem }) => (
              <p class="note" key={run} role="status">
                <b>
                  <Visible text={run} />
                </b>{" "}
                is left out: <Visible text={problem} />
              </p>
            ))}
            {rows.length === 0 ? (
              isFiltered(view) ? (
                <p class="empty">No trajectory fits these filters.</p>
              ) : (
                <FirstSteps what="There is no trajectory in this store yet." />
              )
            ) : (
              <TrajectoryTable rows={rows} held={held} busy={asked.loading} view={view} />
            )}
            <Pager
              page={page}
              go={(from) => refine(place, { offset: from === 0 ? undefined : String(from) })}
              what="trajectory"
            />
          </>
        )}
      </Answered>
    </>
  );
}
