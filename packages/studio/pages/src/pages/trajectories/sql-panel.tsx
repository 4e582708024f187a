/** SQL over the store. The query stands in the address, like any other view. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SqlAnswer } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { plural } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { setting, writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";

const EXAMPLE = `select run, id, goal, reward, step_count
from trajectories
where not success
order by step_count desc
limit 50`;

const VIEWS = "runs, tasks, trajectories, steps, tokens, rewards, skills, metrics, events";

export function SqlPanel(): JSX.Element {
  const place = usePlace();
  const given = setting(place, "sql") ?? "";
  const [text, setText] = useState(given === "" ? EXAMPLE : given);
  const asked = useAnswer("sql", given === "" ? undefined : { body: { sql: given } });
  const run = (): void => {
    if (text === given) asked.reload();
    else refine(place, { sql: text });
  };
  return (
    <section class="section" aria-label="SQL">
      <label class="labelled">
        One query over the views {VIEWS}
        <textarea
          class="field"
          rows={6}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            run();
          }}
        />
      </label>
      <Columns />
      <p class="row">
        <button class="button primary" type="button" onClick={run}>
          Run
        </button>
        <span class="soft">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> · it can only read · rows with the columns run and id lead to their
          trajectory
        </span>
      </p>
      {given !== "" && (
        <Answered asked={asked} what="the answer">
          {(answer) => <SqlRows answer={answer} />}
        </Answered>
      )}
    </section>
  );
}

const COLUMNS = `select table_name, string_agg(column_name, ', ' order by ordinal_position)
from information_schema.columns where not starts_with(table_name, '_') group by 1 order by 1`;

/** What can be asked for, view by view; looked up when somebody wants to know. */
function Columns(): JSX.Element {
  const [open, setOpen] = useState(false);
  const asked = useAnswer("sql", open ? { body: { sql: COLUMNS } } : undefined);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Columns</summary>
      {open && (
        <Answered asked={asked} what="the columns">
          {({ rows }) => (
            <dl class="view-columns">
              {rows.map(([view, columns]) => (
                <div key={String(view)}>
                  <dt>
                    <code>{visibleLine(String(view), 40)}</code>
                  </dt>
                  <dd class="soft">{visibleLine(String(columns), 2_000)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Answered>
      )}
    </details>
  );
}

/** A thousand rows of thirty columns would take the page a second to draw. */
const FIRST_ROWS = 200;

function SqlRows({ answer }: { readonly answer: SqlAnswer }): JSX.Element {
  const [all, setAll] = useState(false);
  const shown = all ? answer.rows : answer.rows.slice(0, FIRST_ROWS);
  const names = answer.columns.map(({ name }) => name);
  const [run, id] = [
    names.indexOf("run"),
    names.includes("trajectory") ? names.indexOf("trajectory") : names.indexOf("id"),
  ];
  const linked = run >= 0 && id >= 0;
  return (
    <>
      <p class="soft" role="status">
        {plural(answer.rows.length, "row")}
        {answer.cut && ", and more that are not shown"} in {Math.round(answer.elapsedMs)} ms
      </p>
      <div class="table-box" tabIndex={0} role="region" aria-label="Rows of the answer">
        <table>
          <thead>
            <tr>
              {answer.columns.map(({ name, type }) => (
                <th key={name} scope="col" title={type}>
                  {visibleLine(name, 60)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={names[column]} class={typeof cell === "number" ? "number" : "clip"}>
                    {linked && column === id ? (
                      <a href={writePlace(["runs", String(row[run]), "trajectory", String(cell)])}>{cellText(cell)}</a>
                    ) : (
                      cellText(cell)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < answer.rows.length && (
        <button class="button" type="button" onClick={() => setAll(true)}>
          Show all {answer.rows.length} rows
        </button>
      )}
    </>
  );
}

function cellText(cell: unknown): string {
  if (cell === null) return "NULL";
  return visibleLine(typeof cell === "string" ? cell : JSON.stringify(cell), 300);
}
