/** Arms of an arena: rank, rating, success and what it took; and every pair of them. */
import type { JSX } from "preact";
import type { ArenaArm, ArenaDetail, Interval } from "../../../../src/serve/api.ts";
import { hasInterval } from "../../../../src/serve/shown.ts";
import { count, decimal, plural, rate, withSign } from "../../format/numbers.ts";
import { Estimate, Share } from "../../parts/figures.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { DifferenceMark } from "../compare/difference-mark.tsx";

export interface ArenaTableProps {
  readonly arms: readonly ArenaArm[];
  readonly colours: ReadonlyMap<string, number>;
}

export function ArenaTable({ arms, colours }: ArenaTableProps): JSX.Element {
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col" class="number">
              Rank
            </th>
            <th scope="col">Arm</th>
            <th scope="col">Held-out success</th>
            <th scope="col" class="number">
              Rating
            </th>
            <th scope="col" class="number">
              Area under the curve
            </th>
            <th scope="col">Budget to reach</th>
            <th scope="col" class="number">
              Runs
            </th>
          </tr>
        </thead>
        <tbody>
          {arms.map((one) => (
            <ArmRow key={one.arm} one={one} colour={colours.get(one.arm) ?? 0} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ArmRow({ one, colour }: { readonly one: ArenaArm; readonly colour: number }): JSX.Element {
  return (
    <tr>
      <td data-label="Rank" class="number">
        <b>{one.rank ?? "–"}</b>
      </td>
      <th scope="row" class="name">
        <span class="row">
          <span class="swatch" style={{ background: `var(--c${colour % 8})` }} aria-hidden="true" />
          {visibleLine(one.arm, 60)}
        </span>
        {one.recipe !== null && one.recipe !== one.arm && <span class="soft small">{visibleLine(one.recipe, 60)}</span>}
      </th>
      <td data-label="Success">
        <SeedShare share={one.final} />
      </td>
      <td data-label="Rating" class="number">
        <SeedEstimate value={one.rating} digits={0} />
      </td>
      <td data-label="Area" class="number">
        <SeedEstimate value={one.areaUnderCurve} digits={2} />
      </td>
      <td data-label="Reached" class="small">
        {one.reached.length === 0 && <span class="soft">–</span>}
        {one.reached.map(({ success, at }) => (
          <span class="soft reached" key={success}>
            {rate(success)}: {at === null ? "not reached" : count(Math.round(at))}
          </span>
        ))}
      </td>
      <td data-label="Runs" class="number">
        {one.runs.length === 0 && one.failures === 0 && <span class="soft">–</span>}
        {one.runs.map((run, at) => (
          <a key={run} href={writePlace(["runs", run])} aria-label={`Run ${at + 1} of ${visibleLine(one.arm, 40)}`}>
            {at + 1}{" "}
          </a>
        ))}
        {one.failures > 0 && <span class="badge bad">{one.failures} failed</span>}
      </td>
    </tr>
  );
}

function SeedShare({ share }: { readonly share: Interval | null }): JSX.Element {
  if (share === null || hasInterval(share.tasks)) return <Share share={share} />;
  return (
    <>
      <b>{rate(share.value)}</b> <span class="soft small">{plural(share.tasks, "seed")}, too few for an interval</span>
    </>
  );
}

function SeedEstimate({ value, digits }: { readonly value: Interval | null; readonly digits: number }): JSX.Element {
  if (value === null) return <span class="soft">–</span>;
  if (!hasInterval(value.tasks)) return <>{decimal(value.value, digits)}</>;
  return <Estimate {...value} digits={digits} />;
}

export function ArenaPairs({ pairs }: { readonly pairs: ArenaDetail["pairs"] }): JSX.Element | null {
  if (pairs.length === 0) return null;
  return (
    <section class="section" aria-label="Pairs">
      <h2>Every pair</h2>
      <div class="table-box">
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Pair</th>
              <th scope="col">Difference in success</th>
              <th scope="col" class="number">
                p, corrected
              </th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {pairs.map((one) => (
              <tr key={`${one.left} ${one.right}`}>
                <th scope="row" class="name">
                  {visibleLine(one.left, 40)} − {visibleLine(one.right, 40)}
                </th>
                <td data-label="Difference">
                  <span class="row">
                    {hasInterval(one.seeds) ? (
                      <>
                        <DifferenceMark difference={one} />
                        <Estimate value={one.difference} low={one.low} high={one.high} difference />
                      </>
                    ) : (
                      <b>{withSign(one.difference, 3)}</b>
                    )}
                  </span>
                </td>
                <td data-label="p" class="number">
                  {decimal(one.p, 3)}
                </td>
                <td data-label="Verdict">
                  {one.separated ? (
                    <span class="badge good">told apart</span>
                  ) : (
                    <span class="badge">not told apart</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
