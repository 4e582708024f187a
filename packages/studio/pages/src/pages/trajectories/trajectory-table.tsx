/** Rows of the table; a click on a heading sorts. */
import type { JSX } from "preact";
import type { TrajectoryItem } from "../../../../src/serve/api.ts";
import { count, decimal } from "../../format/numbers.ts";
import { tokensText } from "../../format/tokens.ts";
import { familyText } from "../../format/family.ts";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { rowLink } from "../../parts/row-link.ts";
import { writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { viewChange, type Filters } from "./view.ts";

export interface TrajectoryTableProps {
  readonly rows: readonly TrajectoryItem[];
  readonly held: number;
  readonly busy: boolean;
  readonly view: Filters;
}

export function TrajectoryTable({ rows, held, busy, view }: TrajectoryTableProps): JSX.Element {
  return (
    <div class="table-box" aria-busy={busy}>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Outcome</th>
            <SortedHeading name="reward" label="Reward" view={view} />
            <SortedHeading name="steps" label="Steps" view={view} />
            <SortedHeading name="tokens" label="Tokens" view={view} />
            <SortedHeading name="update" label="Update" view={view} />
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one, row) => (
            <tr
              key={`${one.run} ${one.id}`}
              class={row === held ? "held" : ""}
              {...rowLink(writePlace(["runs", one.run, "trajectory", one.id]))}
            >
              <th scope="row" class="name">
                <a class="clip" href={writePlace(["runs", one.run, "trajectory", one.id])}>
                  {visibleLine(one.goal, 160) || visibleLine(one.id, 80)}
                </a>
                <span class="soft small clip">
                  {visibleLine(
                    [one.family && familyText(one.family), one.env, one.id]
                      .filter((part) => part !== null && part !== "")
                      .join(" · "),
                    160,
                  )}
                </span>
              </th>
              <td data-label="Outcome">
                <OutcomeBadge outcome={one.outcome} reward={one.reward} />
                <span class="soft small">{one.ending}</span>
              </td>
              <td data-label="Reward" class="number" title={one.unscored ?? undefined}>
                {one.reward === null ? <span class="soft">none</span> : decimal(one.reward, 2)}
              </td>
              <td data-label="Steps" class="number">
                {count(one.steps)}
                {one.parent !== null && <span class="soft small">branched at {one.parent.step}</span>}
              </td>
              <td data-label="Tokens" class="number">
                {tokensText(one)}
              </td>
              <td data-label="Update" class="number">
                {one.phase === null || one.phase === "train" ? count(one.update) : visibleLine(one.phase, 20)}
              </td>
              <td data-label="Run">
                <a class="clip" href={writePlace(["runs", one.run])}>
                  {visibleLine(one.run, 40)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type SortName = NonNullable<Filters["sort"]>;

function SortedHeading(props: {
  readonly name: SortName;
  readonly label: string;
  readonly view: Filters;
}): JSX.Element {
  const place = usePlace();
  const { name, label, view } = props;
  const sorted = view.sort === name;
  const up = view.order === "up";
  // Largest first, then smallest first, then as stored.
  const next = !sorted
    ? { sort: name, order: undefined }
    : up
      ? { sort: undefined, order: undefined }
      : { sort: name, order: "up" };
  return (
    <th scope="col" class="number" aria-sort={sorted ? (up ? "ascending" : "descending") : "none"}>
      <button type="button" onClick={() => refine(place, viewChange(next))}>
        {label} {sorted ? (up ? "↑" : "↓") : ""}
      </button>
    </th>
  );
}
