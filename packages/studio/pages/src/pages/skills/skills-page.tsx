/** What was learnt in words: the library, or what a run wrote; with evidence, use and measured lift. */
import type { JSX } from "preact";
import type { Answer, Query, RunItem } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { useListKeys } from "../../keys/use-list-keys.ts";
import { Answered } from "../../parts/answered.tsx";
import { Choice } from "../../parts/figures.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Pick } from "../../parts/pick.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { setting, wholeSetting, type Place } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { SkillDetails } from "./skill-details.tsx";
import { SkillTable } from "./skill-table.tsx";

const STATUSES = ["candidate", "unproven", "promoted", "demoted", "quarantined", "retired", "seen"] as const;
const LEVELS = ["general", "task", "episode", "step"] as const;
const SORTS = [
  { value: "uses", label: "by use" },
  { value: "lift", label: "by lift" },
  { value: "shift", label: "by shift" },
  { value: "name", label: "by name" },
] as const;

export function SkillsPage(): JSX.Element {
  const place = usePlace();
  const runs = useAnswer("runs", { query: { limit: 100, figures: "known" } });
  const source = setting(place, "source") === "run" ? "run" : "library";
  const run = setting(place, "run") ?? (source === "run" ? runs.value?.runs[0]?.id : undefined);
  const query = queryOf(place, source, run);
  const asked = useAnswer("skills", source === "run" && run === undefined ? undefined : { query });
  const id = setting(place, "id");
  const skills = asked.value?.skills ?? [];
  const held = useListKeys("Skills", skills.length, (row) => refine(place, { id: skills[row]?.id }));
  return (
    <>
      <PageHead title="Skills" lead="Advice that hindsight found, what it rests on, and whether it helps." />
      <SkillFilters source={source} run={run} runs={runs.value?.runs ?? []} sort={query.sort ?? "uses"} />
      <div class={id === undefined ? "" : "master"}>
        <div class="section">
          <Answered asked={asked} what="the skills">
            {(answer) => <Listed answer={answer} source={source} held={held} chosen={id} />}
          </Answered>
        </div>
        {id !== undefined && <SkillDetails key={id} id={id} source={source} run={run} changed={asked.reload} />}
      </div>
    </>
  );
}

interface SkillFiltersProps {
  readonly source: "library" | "run";
  readonly run: string | undefined;
  readonly runs: readonly RunItem[];
  readonly sort: string;
}

function SkillFilters({ source, run, runs, sort }: SkillFiltersProps): JSX.Element {
  const place = usePlace();
  return (
    <search class="filters" aria-label="Filters">
      <Choice
        legend="Of"
        name="source"
        value={source}
        options={[
          { value: "library", label: "the library" },
          { value: "run", label: "a run" },
        ]}
        choose={(value) =>
          refine(place, { source: value === "run" ? "run" : undefined, id: undefined, from: undefined })
        }
      />
      {source === "run" && (
        <Pick
          label="Run"
          value={run ?? ""}
          options={runs.map(({ id }) => ({ value: id }))}
          change={(value) => refine(place, { run: value, id: undefined })}
        />
      )}
      <label class="labelled wide">
        Words in the skill
        <SearchField
          label="Words in the skill"
          value={setting(place, "q") ?? ""}
          change={(q) => refine(place, { q, from: undefined })}
        />
      </label>
      <Pick
        label="Level"
        value={setting(place, "level") ?? ""}
        any="any"
        options={LEVELS.map((value) => ({ value }))}
        change={(value) => refine(place, { level: value })}
      />
      <Pick
        label="Status"
        value={setting(place, "status") ?? ""}
        any="any"
        options={STATUSES.map((value) => ({ value }))}
        change={(value) => refine(place, { status: value })}
      />
      <Pick label="Order" value={sort} options={SORTS} change={(value) => refine(place, { sort: value })} />
    </search>
  );
}

interface ListedProps {
  readonly answer: Answer<"skills">;
  readonly source: "library" | "run";
  readonly held: number;
  readonly chosen: string | undefined;
}

function Listed({ answer, source, held, chosen }: ListedProps): JSX.Element {
  const place = usePlace();
  return (
    <>
      {answer.problems.map(({ file, problem }) => (
        <p class="note bad" key={file}>
          <code>{visibleLine(file, 100)}</code> cannot be read: <Visible text={problem} />
        </p>
      ))}
      {answer.skills.length === 0 ? (
        <p class="empty">
          {source === "library" && answer.library === null
            ? "This store has no skill library yet. A run's own skills are under “a run”."
            : "No skill fits."}
        </p>
      ) : (
        <SkillTable skills={answer.skills} held={held} chosen={chosen} />
      )}
      <Pager page={answer} go={(from) => refine(place, { from: from === 0 ? undefined : String(from) })} what="skill" />
    </>
  );
}

function queryOf(place: Place, source: "library" | "run", run: string | undefined): Query<"skills"> {
  const status = STATUSES.find((one) => one === setting(place, "status"));
  const sort = SORTS.find(({ value }) => value === setting(place, "sort"))?.value ?? "uses";
  const [level, search] = [setting(place, "level"), setting(place, "q")];
  return {
    source,
    sort,
    limit: 50,
    offset: wholeSetting(place, "from") ?? 0,
    ...(source === "run" && run !== undefined ? { run } : {}),
    ...(status === undefined ? {} : { status }),
    ...(level === undefined ? {} : { level }),
    ...(search === undefined ? {} : { search }),
  };
}
