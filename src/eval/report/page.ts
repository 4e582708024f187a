/** The page: what is shown, in which order. */
import type { CreditedGroup } from "./credit.ts";
import { learningCurve, phasesOf, smallCharts } from "./curves.ts";
import { plural } from "./numbers.ts";
import { documentOf } from "./document.ts";
import { episodesSection, type Shown } from "./episodes.ts";
import { familiesOf, headlineSection } from "./headline.ts";
import { clip, markup, type Html } from "./html.ts";
import type { Pair } from "./pairs.ts";
import type { RunRecord } from "./read-run.ts";
import { settingsSection } from "./settings.ts";
import { skillsSection, type Skills } from "./skills.ts";
import type { TokenTexts } from "./token-texts.ts";
import { colourSwitch, tokensSection } from "./tokens.ts";

/** Everything that is shown of one run. */
export interface ReportedRun {
  readonly run: RunRecord;
  readonly pairs: readonly Pair[];
  readonly skills: Skills;
  readonly credit: readonly CreditedGroup[];
  readonly episodes: readonly Shown[];
  readonly texts: TokenTexts | undefined;
}

export function pageOf(runs: readonly ReportedRun[]): string {
  const records = runs.map(({ run }) => run);
  const [first] = records;
  const title = titleOf(records);
  const sections: (readonly [id: string, title: string, body: Html])[] = [
    ["result", "Result", markup`${headlineSection(runs)}${familiesSection(runs)}`],
    ["curves", "Learning", markup`${learningCurve(records)}${smallCharts(records)}`],
    ["episodes", "Before and after", perRun(runs, ({ episodes, pairs }) => episodesSection(episodes, pairs))],
    [
      "tokens",
      "Credit, word by word",
      markup`${colourSwitch(runs.flatMap(({ credit }) => credit))}${perRun(runs, ({ credit, texts }) => tokensSection(credit, texts))}`,
    ],
    ["skills", "Skills", perRun(runs, ({ skills }) => skillsSection(skills))],
    ["time", "Time", perRun(runs, ({ run }) => phasesOf(run))],
    ["settings", "Configuration", settingsSection(records)],
  ];
  const contents = sections.map(([id, name]) => markup`<a href="#${id}">${name}</a>`);
  const body = markup`<header><p class="brand">Limbeck report</p><h1>${title}</h1><p class="sub">${runs.map(({ run }) => subtitleOf(run, runs.length > 1))}</p>${missingOf(runs)}<nav aria-label="Contents">${contents}</nav></header>
<main>${sections.map(([id, name, content]) => markup`<section id="${id}"><h2>${name}</h2>${content}</section>`)}</main>
<footer><p>Everything here was read from the run's own files; ${first === undefined ? "" : markup`<code>limbeck report ${first.summary.id}</code> writes it again.`} The page asks nobody for anything.</p></footer>
<p id="readout" role="status" hidden></p>`;
  return documentOf(title, body);
}

function titleOf(records: readonly RunRecord[]): string {
  return clip(records.map(({ label }) => label).join(" · "), 120);
}

function subtitleOf({ summary, label }: RunRecord, named: boolean): Html {
  const { recipe, env, seed } = summary.config;
  const said = [
    ...(typeof recipe === "string" ? [`recipe ${recipe}`] : [`kind ${summary.kind}`]),
    ...(typeof env === "string" ? [env] : []),
    ...(typeof seed === "number" ? [`seed ${seed}`] : []),
    `run ${summary.id}`,
    summary.createdAt.slice(0, 16).replace("T", " "),
  ];
  return markup`<span>${named ? markup`<b>${label}</b> ` : undefined}${clip(said.join(" · "), 300)}</span>`;
}

/** The first run is open; the others are there for who wants to look. */
function perRun(runs: readonly ReportedRun[], show: (run: ReportedRun) => Html): Html {
  const [first, ...others] = runs;
  if (first === undefined) return markup``;
  const named =
    others.length > 0
      ? markup`<p class="whose"><span class="swatch s${first.run.style % 4}"></span>${first.run.label}</p>`
      : undefined;
  return markup`${named}${show(first)}${others.map((one) => markup`<details class="other"><summary><span class="swatch s${one.run.style % 4}"></span>${one.run.label}</summary>${show(one)}</details>`)}`;
}

function familiesSection(runs: readonly ReportedRun[]): Html | undefined {
  if (runs.every(({ pairs }) => familiesOf(pairs) === undefined)) return undefined;
  return markup`<h3>By kind of task</h3>${perRun(runs, ({ pairs }) => familiesOf(pairs) ?? markup`<p class="none">Not known.</p>`)}`;
}

/** What a reader would look for in vain, said at the top. */
function missingOf(runs: readonly ReportedRun[]): Html | undefined {
  const said = runs.flatMap(({ run }) => {
    const of = runs.length > 1 ? `${run.label}: ` : "";
    const updates = run.metrics.get("success")?.length ?? 0;
    if (run.summary.problem !== undefined) return [`${of}this run cannot be read in full: ${run.summary.problem}`];
    if (run.summary.kind !== "train") return [`${of}this run did not train, so it has no curves, credit or skills.`];
    if (run.end === undefined)
      return [`${of}the training has not finished; what stands here is its state after ${plural(updates, "update")}.`];
    return run.end.reason === "early-stop"
      ? [`${of}the training stopped early, at update ${run.end.update}, as it was told to.`]
      : [];
  });
  return said.length === 0
    ? undefined
    : markup`<ul class="missing">${said.map((line) => markup`<li>${line}</li>`)}</ul>`;
}
