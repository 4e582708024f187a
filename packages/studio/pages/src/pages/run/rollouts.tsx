/** The newest episodes of a run; those that finish while the page is open come on top. */
import type { JSX } from "preact";
import type { TrajectoryItem } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { collectedIn } from "../../format/collected.ts";
import { decimal, plural } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { rowLink } from "../../parts/row-link.ts";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

const SHOWN = 12;

export interface RolloutsProps {
  readonly run: string;
  /** Oldest first. */
  readonly arrived: readonly TrajectoryItem[];
  readonly arrivedCount: number;
}

export function Rollouts({ run, arrived, arrivedCount }: RolloutsProps): JSX.Element {
  const asked = useAnswer("trajectories", { query: { run, sort: "stored", order: "down", limit: SHOWN } });
  return (
    <section class="section" aria-label="Newest episodes">
      <div class="row">
        <h2>Newest episodes</h2>
        {arrivedCount > 0 && <span class="badge live">{plural(arrivedCount, "episode")} while you watch</span>}
        <a href={writePlace(["trajectories"], { run })}>all episodes</a>
      </div>
      <Answered asked={asked} what="the episodes">
        {(page) => {
          const fresh = arrived.toReversed();
          const known = new Set(fresh.map(({ id }) => id));
          const rows = [...fresh, ...page.trajectories.filter(({ id }) => !known.has(id))].slice(0, SHOWN);
          if (rows.length === 0) return <p class="empty">No episode has been stored yet.</p>;
          return (
            <ul class="rollouts">
              {rows.map((one) => (
                <li key={one.id} {...rowLink(writePlace(["runs", one.run, "trajectory", one.id]))}>
                  <OutcomeBadge outcome={one.outcome} reward={one.reward} />
                  <a class="clip" href={writePlace(["runs", one.run, "trajectory", one.id])}>
                    {visibleLine(one.goal, 120) || visibleLine(one.id, 60)}
                  </a>
                  <span class="soft">{visibleLine(collectedIn(one) ?? "", 40)}</span>
                  <span class="soft number">{plural(one.steps, "step")}</span>
                  <span class="number">{decimal(one.reward, 2)}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Answered>
    </section>
  );
}
