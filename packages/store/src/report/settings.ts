/** What was run: the resolved configuration, and where compared runs differ in it. */
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { clip, markup, type Html } from "./html.ts";
import type { RunRecord } from "./read-run.ts";

/** Leaves of a configuration by dotted name. */
export function flatten(config: JsonObject, before = ""): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [name, value] of Object.entries(config)) {
    if (isObject(value)) for (const [inner, text] of flatten(value, `${before}${name}.`)) flat.set(inner, text);
    else flat.set(`${before}${name}`, typeof value === "string" ? value : JSON.stringify(value));
  }
  return flat;
}

export function settingsSection(runs: readonly RunRecord[]): Html {
  const flat = runs.map(({ summary }) => flatten(summary.config));
  const names = [...new Set(flat.flatMap((one) => [...one.keys()]))];
  if (names.length === 0) return markup`<p class="none">No configuration was stored.</p>`;
  const differs = (name: string): boolean => new Set(flat.map((one) => one.get(name))).size > 1;
  const rowOf = (name: string): Html =>
    markup`<tr${differs(name) ? markup` class="differs"` : undefined}><th scope="row">${clip(name, 80)}</th>${flat.map((one) => markup`<td>${clip(one.get(name) ?? "–", 200)}</td>`)}</tr>`;
  const heads = markup`<thead><tr><th scope="col">setting</th>${runs.map(({ label }) => markup`<th scope="col">${label}</th>`)}</tr></thead>`;
  const table = (rows: readonly string[]): Html =>
    markup`<div class="scroll"><table class="settings">${heads}<tbody>${rows.map(rowOf)}</tbody></table></div>`;
  const different = names.filter(differs);
  const first =
    runs.length > 1
      ? markup`<h3>Where the runs differ</h3>${different.length === 0 ? markup`<p class="none">Nowhere: they have the same configuration.</p>` : table(different)}`
      : undefined;
  return markup`${first}<details><summary>All ${names.length} settings</summary>${table(names)}</details>`;
}
