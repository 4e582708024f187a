/** The table of runs; on a phone each row is a card. */
import type { JSX } from "preact";
import type { RunItem } from "../../../../src/serve/api.ts";
import { storedWorldWords } from "../../../../src/serve/shown.ts";
import { bytes, count, duration, moment, plural, rate } from "../../format/numbers.ts";
import { Share, StatusBadge } from "../../parts/figures.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { rowLink } from "../../parts/row-link.ts";
import { Tags } from "../../parts/tags.tsx";
import { splitWords, stepsOf } from "../run/run-words.ts";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export interface RunsTableProps {
  readonly runs: readonly RunItem[];
  readonly chosen: ReadonlySet<string>;
  readonly choose: (id: string) => void;
  readonly held: number;
}

export function RunsTable({ runs, chosen, choose, held }: RunsTableProps): JSX.Element {
  return (
    <div class="table-box">
      <table class="stack dense">
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Compare</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col">Status</th>
            <th scope="col">Recipe</th>
            <th scope="col">Success</th>
            <th scope="col" class="number">
              Episodes stored
            </th>
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, row) => (
            <RunRow
              key={run.id}
              run={run}
              chosen={chosen.has(run.id)}
              choose={() => choose(run.id)}
              held={row === held}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RunRowProps {
  readonly run: RunItem;
  readonly chosen: boolean;
  readonly choose: () => void;
  readonly held: boolean;
}

function RunRow({ run, chosen, choose, held }: RunRowProps): JSX.Element {
  const steps = stepsOf(run);
  return (
    <tr class={held ? "held" : ""} {...rowLink(writePlace(["runs", run.id]))}>
      <td>
        <input type="checkbox" aria-label={`Compare ${visibleLine(run.id)}`} checked={chosen} onChange={choose} />
      </td>
      <th scope="row" class="name">
        <a href={writePlace(["runs", run.id])}>{visibleLine(run.id, 100)}</a>
        {run.labels.pinned && (
          <span class="pinned" title="pinned">
            ★<span class="visually-hidden"> pinned</span>
          </span>
        )}
        <span class="soft small no-wrap">
          {run.kind} · {moment(run.createdAt)}
        </span>
        <Said labels={run.labels} />
      </th>
      <td data-label="Status">
        {isBlank(run) ? <Reading /> : <StatusBadge status={run.status} />}
        <Updates run={run} />
      </td>
      <td data-label="Recipe">
        <Made run={run} />
      </td>
      <td data-label="Success">
        {isBlank(run) ? (
          <Reading />
        ) : run.problem === null ? (
          <Success run={run} />
        ) : (
          <Visible text={visibleLine(run.problem, 160)} />
        )}
      </td>
      <td data-label="Episodes stored" class="number">
        {count(run.trajectories)}
        <span class="soft small">
          {steps.value} {steps.label.toLowerCase()}
        </span>
      </td>
      <td data-label="Cost" class="number">
        <Cost run={run} />
      </td>
    </tr>
  );
}

/** Whether the server has yet to read the first figures of the run. */
function isBlank({ reading, updates, success, stored }: RunItem): boolean {
  return reading && updates === null && success === null && stored === null;
}

function Reading(): JSX.Element {
  return (
    <span class="soft" title="its figures are being read">
      …
    </span>
  );
}

function Said({ labels: { tags, note, archived } }: Pick<RunItem, "labels">): JSX.Element | null {
  if (tags.length === 0 && note === "" && !archived) return null;
  return (
    <span class="said-of">
      {archived && <span class="badge warn">archived</span>}
      <Tags tags={tags} />
      {note !== "" && <span class="soft small clip">{visibleLine(note, 120)}</span>}
    </span>
  );
}

function Made({ run }: { readonly run: RunItem }): JSX.Element {
  const more = [run.env === null ? null : storedWorldWords(run.env), run.seed === null ? null : `seed ${run.seed}`]
    .filter((one) => one !== null)
    .join(", ");
  return (
    <>
      {visibleLine(run.recipe ?? "–", 60)}
      <span class="soft small made">{visibleLine(more, 60)}</span>
    </>
  );
}

function Success({ run }: { readonly run: RunItem }): JSX.Element {
  const share = run.success ?? run.stored;
  if (share === null) return <span class="soft">not measured</span>;
  const from = run.before !== null && run.success !== null && run.success.phase !== "before" ? run.before : undefined;
  return (
    <>
      <Share share={share} />
      <span class="soft small">
        {run.success === null
          ? run.split === null
            ? "stored episodes"
            : `${splitWords(run.split)}, ${plural(share.tasks, "episode")}`
          : `held-out, ${run.success.phase}, ${plural(run.success.tasks, "task")}`}
        {from !== undefined && `; ${rate(from.value)} before`}
      </span>
    </>
  );
}

function Updates({ run: { updates } }: { readonly run: RunItem }): JSX.Element | null {
  if (updates === null) return null;
  return (
    <span class="soft small no-wrap">
      {updates.planned === null
        ? plural(updates.done, "update")
        : `${count(updates.done)} of ${plural(updates.planned, "update")}`}
    </span>
  );
}

function Cost({ run: { cost, bytes: size } }: { readonly run: RunItem }): JSX.Element {
  const paid = cost.usd === null ? "" : ` · $${cost.usd.toFixed(2)}`;
  return (
    <span title={`${bytes(size)} on disk`}>
      {cost.seconds === null ? bytes(size) : duration(cost.seconds)}
      {paid}
      {cost.sampledTokens !== null && <span class="soft small">{plural(cost.sampledTokens, "token")} sampled</span>}
    </span>
  );
}
