/** The page: what is shown, in which order. */
import { readCredit, type CreditedGroup } from "./credit.ts";
import { count, duration, percent, plural, rate, withSign } from "./numbers.ts";
import { documentOf, writeReportFile } from "./document.ts";
import { episodesSection, readEpisodes, type EpisodePair } from "./episodes.ts";
import { clip, markup, type Html } from "./html.ts";
import { differenceOf, movedOf, readPairs, type Difference, type Pair } from "./pairs.ts";
import { lastEvaluation, readRun, type Evaluated, type RunRecord, type Share } from "./read-run.ts";
import { settingsSection } from "./settings.ts";
import { readSkills, skillsSection, type Skills } from "./skills.ts";
import { readTokenTexts, type TokenTexts } from "./token-texts.ts";
import { colourSwitch, tokensSection } from "./tokens.ts";
import { EngineError } from "limbeck-base/base/errors";
import { mean, sum } from "limbeck-base/base/statistics/summary";
import { lostWords } from "limbeck-base/trajectory/tally";
import type { Store } from "../store/store.ts";
import { lineChart, stackedBars, type Series } from "./chart.ts";

/** Everything that is shown of one run. */
export interface ReportedRun {
  readonly run: RunRecord;
  readonly pairs: readonly Pair[];
  readonly skills: Skills;
  readonly credit: readonly CreditedGroup[];
  readonly episodes: readonly EpisodePair[];
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

/** What the page lacks, noted at the top. */
function missingOf(runs: readonly ReportedRun[]): Html | undefined {
  const said = runs.flatMap(({ run }) => {
    const of = runs.length > 1 ? `${run.label}: ` : "";
    const updates = run.metrics.get("success")?.length ?? 0;
    if (run.summary.problem !== undefined) return [`${of}this run cannot be read in full: ${run.summary.problem}`];
    if (run.summary.kind !== "train") return [`${of}this run did not train, so it has no curves, credit or skills.`];
    if (run.end === undefined)
      return [`${of}the training has not finished; what stands here is its state after ${plural(updates, "update")}.`];
    if (run.end.reason === "stopped")
      return [`${of}the brake stopped the training at update ${run.end.update}; its last notice has the cause.`];
    return run.end.reason === "early-stop"
      ? [`${of}the training stopped early, at update ${run.end.update}, as it was told to.`]
      : [];
  });
  return said.length === 0
    ? undefined
    : markup`<ul class="missing">${said.map((line) => markup`<li>${line}</li>`)}</ul>`;
}

// Before and after in large letters, with intervals, and what it took.

export interface RunWithPairs {
  readonly run: RunRecord;
  readonly pairs: readonly Pair[];
}

export function headlineSection(runs: readonly RunWithPairs[]): Html {
  return markup`${runs.map((one) => resultOf(one, runs.length > 1))}${comparisonOf(runs)}`;
}

function resultOf({ run, pairs }: RunWithPairs, named: boolean): Html {
  const [before, after] = [lastEvaluation(run, "before"), lastEvaluation(run, "after")];
  const change = differenceOf(pairs.map((pair) => [pair.after.success, pair.before.success]));
  const title = named ? markup`<h3><span class="swatch s${run.style % 4}"></span>${run.label}</h3>` : undefined;
  const paired =
    change === undefined ? undefined : markup`<p class="change">${changeOf(change)} ${movedWords(pairs)}</p>`;
  return markup`<div class="result s${run.style % 4}">${title}<div class="numbers">${numberOf("Before", before)}${numberOf("After", after)}</div>${paired}${factsOf(run)}</div>`;
}

function numberOf(name: string, share: Share | undefined): Html {
  if (share === undefined)
    return markup`<div class="number"><span>${name}</span><b class="none">not measured</b></div>`;
  const { success, low, high, tasks, failed: lost, causes } = share;
  const at = (value: number): string => `${Math.round(value * 1000) / 10}%`;
  return markup`<div class="number"><span>${name}</span><b>${rate(success)}</b><span class="track" aria-hidden="true"><span class="reach" style="left:${at(low)};right:${at(1 - high)}"></span><span class="pin" style="left:${at(success)}"></span></span><span>of ${lost === 0 ? "" : `${count(tasks - lost)} of `}${plural(tasks, "held-out task")}${lost === 0 ? "" : ` (${clip(lostWords({ lost, causes }), 300)})`}; 95% interval [${rate(low)}, ${rate(high)}]</span></div>`;
}

function changeOf({ difference, low, high }: Difference): Html {
  return markup`<b>${withSign(difference, 3)}</b> [${withSign(low, 3)}, ${withSign(high, 3)}] on the same tasks (95% interval).`;
}

function movedWords(pairs: readonly Pair[]): Html {
  const { gained, lost, kept, never } = movedOf(pairs);
  return markup`${count(gained)} newly solved, ${count(lost)} lost, ${count(kept)} solved both times, ${count(never)} never.`;
}

function factsOf({ end, metrics, summary }: RunRecord): Html {
  const updates = metrics.get("success")?.length ?? 0;
  const last = (name: string): number | undefined => metrics.get(name)?.at(-1)?.y;
  const facts: (readonly [string, string | undefined])[] = [
    ["updates", updates === 0 ? undefined : count(updates)],
    ["episodes stored", count(summary.trajectories)],
    ["environment steps trained on", numberOr(end?.spent.environmentSteps ?? last("spent/environmentSteps"), count)],
    ["tokens sampled", numberOr(end?.spent.sampledTokens ?? last("spent/sampledTokens"), count)],
    ["time, evaluations included", numberOr(end?.spent.seconds ?? last("spent/seconds"), duration)],
  ];
  const known = facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined);
  return markup`<dl class="facts">${known.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function numberOr(value: number | undefined, show: (value: number) => string): string | undefined {
  return value === undefined ? undefined : show(value);
}

/** The first run against each other one, on tasks that both played after their training. */
function comparisonOf([first, ...others]: readonly RunWithPairs[]): Html | undefined {
  if (first === undefined || others.length === 0) return undefined;
  const lines = others.flatMap(({ run, pairs }) => {
    const theirs = new Map(pairs.map(({ task, after }) => [task, after.success]));
    const both = first.pairs.flatMap(({ task, after }) => {
      const other = theirs.get(task);
      return other === undefined ? [] : [[after.success, other] as const];
    });
    const difference = differenceOf(both);
    if (difference === undefined) return [];
    const clear = difference.low > 0 || difference.high < 0;
    return [
      markup`<p class="change">${first.run.label} compared with “${run.label}”, after training: ${changeOf(difference)} ${clear ? "" : "These tasks do not tell the two apart."}</p>`,
    ];
  });
  return markup`${lines}${lines.length > 0 ? markup`<p class="note">One run each: the interval is over tasks, not over seeds.</p>` : undefined}`;
}

/** Success by kind of task, where the world names kinds. */
export function familiesOf(pairs: readonly Pair[]): Html | undefined {
  const families = [...new Set(pairs.flatMap(({ family }) => family ?? []))].toSorted();
  if (families.length < 2) return undefined;
  const rows = families.map((family) => {
    const own = pairs.filter((pair) => pair.family === family);
    const solved = (when: "before" | "after"): number => sum(own.map((pair) => Number(pair[when].success)));
    const [before, after] = [solved("before") / own.length, solved("after") / own.length];
    const at = (value: number): string => `${Math.round(value * 1000) / 10}%`;
    return markup`<tr><th scope="row">${family.replaceAll("_", " ")}</th><td>${own.length}</td><td>${rate(before)}</td><td class="wide"><span class="track" aria-hidden="true"><span class="reach ${after < before ? "bad" : "good"}" style="left:${at(Math.min(before, after))};right:${at(1 - Math.max(before, after))}"></span><span class="pin hollow" style="left:${at(before)}"></span><span class="pin" style="left:${at(after)}"></span></span></td><td>${rate(after)}</td></tr>`;
  });
  return markup`<div class="scroll"><table class="families"><thead><tr><th scope="col">kind of task</th><th scope="col">tasks</th><th scope="col">before</th><th scope="col" class="wide"></th><th scope="col">after</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

// A report of runs as one HTML file: nothing in it asks another host for anything, so it opens from disk anywhere.

export interface ReportOptions {
  /** The runs, the first of them in full; the others are compared with it. */
  readonly runs: readonly { readonly run: string; readonly label: string }[];
  /** The file to write; one that is there is replaced. */
  readonly file: string;
}

/**
 * One page that tells of the runs, readable without a server.
 *
 * @example
 * import { openStore } from "limbeck/store";
 * import { mkdtemp, readFile, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "report-"));
 * const store = openStore(folder);
 * const writer = await store.createRun({ kind: "rollout", config: {} });
 * await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1, sink: writer });
 * await writer.close();
 * await writeReport(store, { runs: [{ run: writer.run, label: "The expert" }], file: join(folder, "report.html") });
 * console.log((await readFile(join(folder, "report.html"), "utf8")).includes("The expert")); // true
 * await store.close();
 * await rm(folder, { recursive: true });
 */
export async function writeReport(store: Store, { runs, file }: ReportOptions): Promise<void> {
  if (runs.length === 0) throw new EngineError("bad-options", "A report needs at least one run.");
  const read: ReportedRun[] = [];
  for (const [style, { run, label }] of runs.entries()) {
    const record = await readRun(store, run, label, style);
    const pairs = await readPairs(store, run);
    read.push({
      run: record,
      pairs,
      skills: await readSkills(store, run),
      credit: await readCredit(store, run),
      episodes: await readEpisodes(store, run, pairs),
      texts: await readTokenTexts(store.root, run),
    });
  }
  await writeReportFile(file, pageOf(read));
}

// How the run went, update by update.

/** Success while training, on validation tasks, and on the held-out tasks before and after. */
export function learningCurve(runs: readonly RunRecord[]): Html {
  const name = (run: RunRecord, what: string): string => (runs.length > 1 ? `${run.label}: ${what}` : what);
  const series = runs.flatMap((run): Series[] => {
    const of = (...phases: string[]): Evaluated[] => run.evaluations.filter(({ phase }) => phases.includes(phase));
    return [
      {
        label: name(run, "training episodes"),
        points: run.metrics.get("success") ?? [],
        style: run.style,
        faint: true,
      },
      {
        label: name(run, "validation tasks, 95% band"),
        ...measured(of("validation")),
        marks: "line and dots",
        style: run.style,
      },
      {
        label: name(run, "held-out tasks, before and after"),
        ...measured(of("before", "midway", "after")),
        marks: "dots",
        style: run.style,
      },
    ];
  });
  const options = {
    title: "Success",
    note: "share of episodes that reached their goal",
    xLabel: "update",
    range: [0, 1],
    span: [0, lastUpdate(runs)],
  } as const;
  if (series.every(({ points }) => points.length === 0)) return lineChart(series, options);
  // Drawn twice: a wide chart on a phone would be a strip.
  return markup`${lineChart(series, { ...options, screens: "wide" })}${lineChart(series, { ...options, screens: "narrow", width: 360, height: 260 })}`;
}

/** Charts of a run share their x, so that they can be read together. */
function lastUpdate(runs: readonly RunRecord[]): number {
  return Math.max(
    1,
    ...runs.flatMap(({ metrics, evaluations }) => [
      ...(metrics.get("success") ?? []).map(({ x }) => x),
      ...evaluations.map(({ update }) => update),
    ]),
  );
}

function measured(evaluations: readonly Evaluated[]): Pick<Series, "points" | "intervals"> {
  return {
    points: evaluations.map(({ update, success }) => ({ x: update, y: success })),
    intervals: evaluations.map(({ update, low, high }) => ({ x: update, low, high })),
  };
}

interface Small {
  readonly title: string;
  readonly note: string;
  /** Metrics in one chart; a second one has its own words in the legend. */
  readonly metrics: readonly (readonly [name: string, label: string])[];
}

const SMALL: readonly Small[] = [
  { title: "Reward", note: "mean of an episode", metrics: [["reward", ""]] },
  { title: "Entropy", note: "mean surprise of a sampled token, nats", metrics: [["entropy", ""]] },
  {
    title: "Teacher shift",
    note: "by outcome of the episode, nats a token",
    metrics: [
      ["teacher/shiftSuccess", "successes"],
      ["teacher/shiftFailure", "failures"],
    ],
  },
  {
    title: "Teacher's own success",
    note: "acting on the skills, on training tasks",
    metrics: [["teacher/probeSuccess", ""]],
  },
  { title: "Divergence from the teacher", note: "on taught tokens, nats", metrics: [["loss/teacher/divergence", ""]] },
  { title: "Gradient norm", note: "before clipping", metrics: [["gradientNorm", ""]] },
  { title: "Lag", note: "updates between playing and learning", metrics: [["async/lag", ""]] },
  {
    title: "Staleness",
    note: "steps of the optimiser since a token was said",
    metrics: [
      ["async/staleness", "mean"],
      ["async/mostStale", "most"],
    ],
  },
  {
    title: "Waiting",
    note: "seconds of an update",
    metrics: [
      ["async/waitedSeconds", "learning waits"],
      ["async/idleSeconds", "nobody plays"],
    ],
  },
];

export function smallCharts(runs: readonly RunRecord[]): Html {
  const charts = SMALL.flatMap(({ title, note, metrics }) => {
    const series = runs.flatMap((run) =>
      metrics.map(([metric, label], at): Series => ({
        label: [...(runs.length > 1 ? [run.label] : []), ...(label === "" ? [] : [label])].join(": "),
        points: run.metrics.get(metric) ?? [],
        // One run with two lines: the second gets a colour and dash of its own.
        style: runs.length > 1 ? run.style : at,
        faint: runs.length > 1 && at > 0,
      })),
    );
    const drawn = series.filter(({ points }) => points.length > 0);
    return drawn.length === 0
      ? []
      : [lineChart(drawn, { title, note, xLabel: "update", width: 360, height: 190, span: [0, lastUpdate(runs)] })];
  });
  if (charts.length === 0) return markup`<p class="none">No metrics were recorded.</p>`;
  return markup`<div class="multiples">${charts}</div>`;
}

const PHASES = [
  ["collect", "play the episodes"],
  ["analyse", "write skills"],
  ["rescore", "ask the teacher"],
  ["credit", "give credit"],
  ["learn", "learn"],
] as const;

/** Where the time went. */
export function phasesOf(run: RunRecord): Html {
  const points = PHASES.map(([phase]) => run.metrics.get(`seconds/${phase}`) ?? []);
  const updates = [...new Set(points.flatMap((line) => line.map(({ x }) => x)))].toSorted((one, other) => one - other);
  if (updates.length === 0) return markup`<p class="none">${run.label}: no times were recorded.</p>`;
  const layers = PHASES.map(([, label], at) => {
    const byUpdate = new Map(points[at]?.map(({ x, y }) => [x, y]));
    return { label, values: updates.map((update) => byUpdate.get(update) ?? 0) };
  });
  const whole = sum(layers.map(({ values }) => mean(values)));
  const rows = layers.map(
    ({ label, values }, at) =>
      markup`<tr><th scope="row"><span class="swatch p${at}"></span>${label}</th><td>${mean(values).toFixed(2)} s</td><td>${percent(mean(values) / whole)}</td></tr>`,
  );
  const chart = stackedBars({ title: "Seconds an update", xLabel: "update", at: updates, layers });
  return markup`<div class="beside">${chart}<div class="scroll"><table><thead><tr><th scope="col">phase</th><th scope="col">an update</th><th scope="col">share</th></tr></thead><tbody>${rows}</tbody><tfoot><tr><th scope="row">${updates.length} updates</th><td>${whole.toFixed(2)} s</td><td>${duration(whole * updates.length)} in all</td></tr></tfoot></table></div></div>`;
}
