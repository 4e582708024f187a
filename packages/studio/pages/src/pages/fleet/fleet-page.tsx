/** The fleet: who plays, what waits, how fast it goes, and what was given up. The numbers of `limbeck fleet`. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Fleet } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { count, decimal, duration, plural } from "../../format/numbers.ts";
import { Answered } from "../../parts/answered.tsx";
import { Visible } from "../../parts/inert-text.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

/** Workers speak every five seconds at most. */
const LOOK_EVERY_MS = 3_000;

export function FleetPage(): JSX.Element {
  const asked = useAnswer("fleet", {});
  const { reload } = asked;
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && reload(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <PageHead title="Fleet" lead="Workers that play episodes for this machine, their queues, and what went wrong." />
      <Answered asked={asked} what="the fleet">
        {({ fleet }) =>
          fleet === null ? (
            <p class="empty">
              This studio knows of no fleet. Start it with the address of the Redis server:{" "}
              <code>limbeck studio --redis redis://127.0.0.1:6379</code>.
            </p>
          ) : (
            <Shown fleet={fleet} />
          )
        }
      </Answered>
    </>
  );
}

function Shown({ fleet: { workers, queues, parked } }: { readonly fleet: Fleet }): JSX.Element {
  const episodes = workers.reduce((total, worker) => total + worker.episodes, 0);
  return (
    <>
      <p>
        <b>{plural(workers.length, "worker")}</b>, {plural(episodes, "episode")} played by them.
        {workers.length === 0 && " Start one with limbeck worker --redis URL."}
      </p>
      <Workers workers={workers} />
      <Queues queues={queues} />
      {parked.length > 0 && (
        <section class="section" aria-label="Parked jobs">
          <h2>Given up</h2>
          {parked.map(({ job, task, run, attempts, error }) => (
            <p class="note bad" key={job}>
              {visibleLine(task, 80)} of <a href={writePlace(["runs", run])}>{visibleLine(run, 60)}</a>,{" "}
              {plural(attempts, "attempt")}: <Visible text={error} />
            </p>
          ))}
        </section>
      )}
    </>
  );
}

const STATES = { working: "live", idle: "", blocked: "bad", "set-aside": "bad", draining: "warn" } as const;

function Workers({ workers }: Pick<Fleet, "workers">): JSX.Element | null {
  if (workers.length === 0) return null;
  const titles = ["Jobs now", "Done", "Episodes", "Failed", "Per job", "Up"];
  return (
    <Table caption="Workers" first={["Worker", "State"]} titles={titles}>
      {workers.map((one) => (
        <tr key={one.name}>
          <th scope="row" class="name">
            {visibleLine(one.name, 60)}
            {one.problem !== null && <span class="soft small">{visibleLine(one.problem, 200)}</span>}
          </th>
          <td data-label="State">
            <span class={`badge ${STATES[one.state]}`}>{one.state}</span>
          </td>
          <Numbers
            titles={titles}
            values={[
              ...[one.active, one.jobs, one.episodes, one.failed].map(count),
              duration(one.secondsPerJob),
              duration(one.seconds),
            ]}
          />
        </tr>
      ))}
    </Table>
  );
}

function Queues({ queues }: Pick<Fleet, "queues">): JSX.Element | null {
  if (queues.length === 0) return null;
  const titles = ["Waiting", "Active", "To retry", "Parked", "Jobs a minute", "Limit"];
  return (
    <Table caption="Queues" first={["World"]} titles={titles}>
      {queues.map((one) => (
        <tr key={one.world}>
          <th scope="row" class="name">
            {visibleLine(one.world, 60)}
          </th>
          <Numbers
            titles={titles}
            values={[
              ...[one.waiting, one.active, one.delayed, one.parked].map(count),
              decimal(one.perMinute, 1),
              one.limit === null ? "none" : count(one.limit),
            ]}
          />
        </tr>
      ))}
    </Table>
  );
}

interface TableProps {
  readonly caption: string;
  readonly first: readonly string[];
  readonly titles: readonly string[];
  readonly children: JSX.Element[];
}

function Table({ caption, first, titles, children }: TableProps): JSX.Element {
  return (
    <section class="section" aria-label={caption}>
      <h2>{caption}</h2>
      <div class="table-box">
        <table class="stack">
          <thead>
            <tr>
              {first.map((title) => (
                <th scope="col" key={title}>
                  {title}
                </th>
              ))}
              {titles.map((title) => (
                <th scope="col" class="number" key={title}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </section>
  );
}

function Numbers({
  titles,
  values,
}: {
  readonly titles: readonly string[];
  readonly values: readonly string[];
}): JSX.Element {
  return (
    <>
      {values.map((value, at) => (
        <td data-label={titles[at]} class="number" key={titles[at]}>
          {value}
        </td>
      ))}
    </>
  );
}
