/** What the table can be narrowed by. */
import type { JSX } from "preact";
import type { Facets, Outcome } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { familyText } from "../../format/family.ts";
import { OUTCOME_WORDS } from "../../parts/figures.tsx";
import { Pick } from "../../parts/pick.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { setting, settings } from "../../route/place.ts";
import { go, refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { isFiltered, viewChange, type Filters } from "./view.ts";

/** What the endings are called in the ready views too. */
const ENDINGS: Readonly<Record<string, string>> = {
  terminated: "came to its end",
  truncated: "cut off by a limit",
  failed: "lost to errors",
};

export function FilterBar({
  facets,
  view,
}: {
  readonly facets: Facets | undefined;
  readonly view: Filters;
}): JSX.Element {
  const place = usePlace();
  const runs = useAnswer("runs", { query: { limit: 200, figures: "known" } });
  const change = (name: string) => (value: string) => refine(place, viewChange({ [name]: value }));
  const chosenRuns = settings(place, "run");
  const several = chosenRuns.length > 1;
  return (
    <search class="filters" aria-label="Filters">
      <label class="labelled wide">
        Words in goal or id
        <SearchField label="Words in goal or id" value={setting(place, "search") ?? ""} change={change("search")} />
      </label>
      <label class="labelled wide">
        Words in what was seen or done
        <SearchField
          label="Words in what was seen or done"
          value={setting(place, "text") ?? ""}
          change={change("text")}
        />
      </label>
      <Pick
        label="Run"
        value={several ? "" : (chosenRuns[0] ?? "")}
        any={several ? `${chosenRuns.length} runs` : "every run"}
        options={(runs.value?.runs ?? []).map(({ id }) => ({ value: id }))}
        change={change("run")}
      />
      <Pick
        label="Family"
        value={settings(place, "family")[0] ?? ""}
        any="every family"
        options={facets?.families.map((one) => ({ ...one, label: familyText(one.value) })) ?? []}
        change={change("family")}
      />
      <Pick
        label="Outcome"
        value={setting(place, "outcome") ?? ""}
        any="any"
        options={facets?.outcomes.map((one) => ({ ...one, label: OUTCOME_WORDS[one.value as Outcome] })) ?? []}
        change={change("outcome")}
      />
      <Pick
        label="Ending"
        value={setting(place, "ending") ?? ""}
        any="any"
        options={facets?.endings.map((one) => ({ ...one, label: ENDINGS[one.value] ?? one.value })) ?? []}
        change={change("ending")}
      />
      <Pick
        label="Phase"
        value={setting(place, "phase") ?? ""}
        any="any"
        options={facets?.phases ?? []}
        change={change("phase")}
      />
      <Steps label="Steps from" name="minSteps" most={facets?.maxSteps} />
      <Steps label="Steps to" name="maxSteps" most={facets?.maxSteps} />
      {isFiltered(view) && (
        <button class="button quiet" type="button" onClick={() => go(["trajectories"])}>
          Clear all
        </button>
      )}
      {view.group !== undefined && <span class="badge">group {visibleLine(view.group, 50)}</span>}
    </search>
  );
}

function Steps(props: {
  readonly label: string;
  readonly name: string;
  readonly most: number | undefined;
}): JSX.Element {
  const place = usePlace();
  return (
    <label class="labelled narrow">
      {props.label}
      <input
        class="field"
        type="number"
        min={0}
        value={setting(place, props.name) ?? ""}
        placeholder={props.name === "maxSteps" && props.most !== undefined ? String(props.most) : "0"}
        onChange={({ currentTarget }) => refine(place, viewChange({ [props.name]: currentTarget.value }))}
      />
    </label>
  );
}
