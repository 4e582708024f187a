/** What was set differently; everything that was the same is one click away. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Setting } from "../../../../src/serve/api.ts";
import { visibleLine } from "../../text/visible-text.ts";

export interface SettingsDiffProps {
  readonly settings: readonly Setting[];
  readonly runs: readonly string[];
}

export function SettingsDiff({ settings, runs }: SettingsDiffProps): JSX.Element {
  const [all, setAll] = useState(false);
  const differing = settings.filter(({ differs }) => differs);
  const shown = all ? settings : differing;
  return (
    <section class="section" aria-label="Settings">
      <div class="row">
        <h2>What was set differently</h2>
        <label class="row soft">
          <input type="checkbox" checked={all} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />
          show all {settings.length}
        </label>
      </div>
      {shown.length === 0 ? (
        <p class="soft">Nothing: these runs have the same settings.</p>
      ) : (
        <div class="table-box" tabIndex={0} role="region" aria-label="Settings side by side">
          <table>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                {runs.map((run) => (
                  <th scope="col" key={run}>
                    {visibleLine(run, 40)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(({ name, values, differs }) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{visibleLine(name, 80)}</code>
                  </th>
                  {values.map((value, at) => (
                    <td key={runs[at]} class={differs && value !== values[0] ? "differs" : ""}>
                      <code>{visibleLine(value ?? "–", 120)}</code>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
