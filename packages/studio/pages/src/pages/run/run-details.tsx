/** The rest of what a run has to say: task families, credited groups, settings. */
import type { JSX } from "preact";
import type { RunDetail } from "../../../../src/serve/api.ts";
import { count, rate } from "../../format/numbers.ts";
import { familyText } from "../../format/family.ts";
import { Visible } from "../../parts/inert-text.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";

export function CreditedGroups({ detail }: { readonly detail: RunDetail }): JSX.Element | null {
  if (detail.credited.length === 0) return null;
  return (
    <section class="section" aria-label="Groups with credit">
      <h2>Credit, token by token</h2>
      <p class="soft">
        Of each update the group with the most even mix of success and failure: what its words were credited with.
      </p>
      <ul class="rollouts">
        {detail.credited.slice(0, 12).map(({ group, update, goal, episodes, solved }) => (
          <li key={`${update} ${group}`}>
            <span class="badge">update {update}</span>
            <a class="clip" href={writePlace(["runs", detail.id, "tree", group])}>
              {visibleLine(goal || group, 120)}
            </a>
            <span class="soft number">
              {count(solved)} of {count(episodes)} solved
            </span>
            <a class="number" href={writePlace(["trajectories"], { run: detail.id, group })}>
              episodes
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Families({ detail }: { readonly detail: RunDetail }): JSX.Element | null {
  if (detail.families.length === 0) return null;
  return (
    <section class="section" aria-label="Task families">
      <h2>Held-out success by task family</h2>
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Family</th>
              <th scope="col" class="number">
                Tasks
              </th>
              <th scope="col" class="number">
                Before
              </th>
              <th scope="col" class="wide-only">
                <span class="visually-hidden">From before to after</span>
              </th>
              <th scope="col" class="number">
                After
              </th>
            </tr>
          </thead>
          <tbody>
            {detail.families.map(({ family, tasks, before, after }) => (
              <tr key={family}>
                <td>
                  <Visible text={familyText(family)} />
                </td>
                <td class="number">{count(tasks)}</td>
                <td class="number">{rate(before)}</td>
                <td class="wide-only">{before !== null && after !== null && <Step from={before} to={after} />}</td>
                <td class="number">{rate(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** From the hollow mark to the full one. */
function Step({ from, to }: { readonly from: number; readonly to: number }): JSX.Element {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  return (
    <span class="track wide" aria-hidden="true">
      <span
        class={`reach ${to < from ? "bad" : "good"}`}
        style={{ left: `${low * 100}%`, right: `${(1 - high) * 100}%` }}
      />
      <span class="pin hollow" style={{ left: `${from * 100}%` }} />
      <span class="pin" style={{ left: `${to * 100}%` }} />
    </span>
  );
}

export function Settings({ detail }: { readonly detail: RunDetail }): JSX.Element | null {
  if (detail.settings.length === 0) return null;
  return (
    <details class="section">
      <summary>Settings ({detail.settings.length})</summary>
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {detail.settings.map(({ name, values }) => (
              <tr key={name}>
                <td>
                  <code>{visibleLine(name)}</code>
                </td>
                <td class="inert">
                  <Visible text={visibleLine(values[0] ?? "–", 400)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
