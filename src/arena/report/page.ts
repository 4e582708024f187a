/** The report of an arena: one HTML file, the answer first, then what it rests on. */
import { documentOf } from "../../eval/report/document.ts";
import { worldWords } from "../../env/world-words.ts";
import { clip, markup, type Html } from "../../eval/report/html.ts";
import { count, plural } from "../../eval/report/numbers.ts";
import type { ArenaSummary } from "../summary.ts";
import { accountNames, comparisonWords, verdictWords } from "../words.ts";
import { curveCharts, seedCharts } from "./curves.ts";
import { differencesSection } from "./differences.ts";
import { costTable, familyTable, planTable, resultTable, retentionTable } from "./tables.ts";

export function arenaPage(summary: ArenaSummary): string {
  const { plan, accounts, missing, runs } = summary;
  const title = clip(titleOf(plan.arms.map(({ name }) => name)), 160);
  const [families, retention] = [familyTable(summary), retentionTable(summary)];
  const sections: (readonly [id: string, title: string, body: Html])[] = [
    ["result", "Result", markup`${verdict(summary)}${resultTable(summary)}`],
    ["curves", "Learning", markup`${accounts.length === 0 ? nothing : curveCharts(summary)}`],
    ["differences", "Differences", accounts.length === 0 ? nothing : differencesSection(summary)],
    ...(families === undefined ? [] : [["families", "By kind of task", families] as const]),
    ...(retention === undefined ? [] : [["retention", "Is the skill still needed?", retention] as const]),
    ["cost", "Cost", costTable(summary)],
    ["runs", "Every run", accounts.length === 0 ? nothing : seedCharts(summary)],
    ["plan", "Plan", planTable(plan)],
  ];
  const { account, amount } = plan.budget;
  const sub = [
    worldWords(plan.env, plan.envOptions),
    plural(plan.arms.length, "arm"),
    `${plural(plan.seeds.length, "seed")} each, paired`,
    `${count(amount)} ${accountNames[account]} a run`,
    `${plural(runs.length - missing.length, "run")} of ${count(runs.length)} finished`,
  ];
  const contents = sections.map(([id, name]) => markup`<a href="#${id}">${name}</a>`);
  const body = markup`<header><p class="brand">Limbeck arena</p><h1>${title}</h1><p class="sub">${clip(sub.join(" · "), 400)}</p>${missingOf(summary)}<nav aria-label="Contents">${contents}</nav></header>
<main>${sections.map(([id, name, content]) => markup`<section id="${id}"><h2>${name}</h2>${content}</section>`)}</main>
<footer><p>Same tasks, same starting weights, same draws and the same budget for every arm; evaluations are not charged. Everything here was read from the journals of the arena's folder; <code>limbeck arena --resume DIR</code> writes it again. The page asks nobody for anything.</p></footer>
<p id="readout" role="status" hidden></p>`;
  return documentOf(title, body);
}

const MOST_UNSURE = 6;
const nothing = markup`<p class="none">No run is finished yet.</p>`;

/** A heading has room for a few names. */
function titleOf(names: readonly string[]): string {
  return names.length <= 6 ? names.join(" · ") : `${names.slice(0, 3).join(" · ")} and ${names.length - 3} more`;
}

function verdict(summary: ArenaSummary): Html {
  const [primary] = summary.accounts;
  const comparisons = primary?.area.comparisons ?? [];
  const listOf = (separated: boolean): Html[] =>
    comparisons
      .filter(({ better }) => (better !== null) === separated)
      .map((one) => markup`<li class="${separated ? "good" : ""}">${comparisonWords(one)}</li>`);
  const [sure, unsure] = [listOf(true), listOf(false)];
  // A long list of what is not known would hide what is.
  const rest =
    unsure.length > MOST_UNSURE
      ? markup`<details class="other"><summary>${unsure.length === 1 ? "1 pair is" : `${unsure.length} pairs are`} not separated</summary><ul class="missing">${unsure}</ul></details>`
      : markup`<ul class="missing">${unsure}</ul>`;
  return markup`<p class="change"><b>${verdictWords(summary)}</b></p><ul class="missing">${sure}</ul>${rest}`;
}

function missingOf({ missing }: ArenaSummary): Html | undefined {
  if (missing.length === 0) return undefined;
  const said = missing.slice(0, 12).map(({ arm, seed, failure, points }) => {
    const how =
      failure === undefined ? (points.length === 0 ? "has not begun" : "is not finished") : `failed: ${failure}`;
    return markup`<li>${arm}, seed ${seed} ${clip(how, 300)}</li>`;
  });
  const more = missing.length > 12 ? markup`<li>and ${missing.length - 12} more</li>` : undefined;
  return markup`<ul class="missing">${said}${more}</ul>`;
}
