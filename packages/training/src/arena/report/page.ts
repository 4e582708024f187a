/** The report of an arena: one HTML file, the answer first, then what it rests on. */
import { documentOf } from "limbeck-store/report/document";
import { worldWords } from "limbeck-core/env/world-words";
import { clip, markup, type Html } from "limbeck-store/report/html";
import { count, plural, percent, duration } from "limbeck-store/report/numbers";
import { type ArenaSummary, type AccountSummary, rankArms, type Estimate, type Reached } from "../summary.ts";
import {
  accountNames,
  comparisonWords,
  verdictWords,
  differenceWords,
  withSign,
  estimateWords,
  fewSeedsWords,
  rankWords,
} from "../words.ts";
import { hasInterval } from "limbeck-base/base/statistics/student-t";
import { lineChart, type Series, figure } from "limbeck-store/report/chart";
import type { Comparison } from "../decide.ts";
import type { OptionValue } from "limbeck-base/base/option-table";
import { flattenSettings } from "limbeck-core/update/settings";
import { armSettings, type ArenaPlan } from "../plan.ts";

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

// Learning curves of an arena: means with bands in every account, and every run by itself.

/** The primary account large, the others beside each other below. */
function curveCharts({ accounts }: ArenaSummary): Html {
  const [primary, ...others] = accounts;
  if (primary === undefined) return markup``;
  const lead = markup`<p class="lead">Success on the validation tasks, the same for every arm and seed. Lines are means over the seeds; bands are 95% bootstrap bands over whole runs, which with three seeds are their range; fewer have none.</p>`;
  const wide = options(primary, "wide");
  const narrow = { ...options(primary, "narrow"), width: 360, height: 280 };
  const small = others.map((one) =>
    lineChart(seriesOf(one), { ...options(one), width: 360, height: 220, title: `By ${accountNames[one.account]}` }),
  );
  return markup`${lead}${lineChart(seriesOf(primary), wide)}${lineChart(seriesOf(primary), narrow)}<div class="multiples">${small}</div>`;
}

function options({ account, to }: AccountSummary, screens?: "wide" | "narrow"): Parameters<typeof lineChart>[1] {
  return {
    title: `Success by ${accountNames[account]}`,
    note: `equal for all arms up to ${count(Math.round(to))}`,
    xLabel: accountNames[account],
    range: [0, 1],
    span: [0, Math.max(1, to)],
    format: percent,
    ...(screens === undefined ? {} : { screens }),
  };
}

function seriesOf({ arms }: AccountSummary): Series[] {
  return arms.map(({ name, curve, curves }, style) => ({
    label: name,
    style,
    marks: "line and dots",
    points: curve.at.map((x, at) => ({ x, y: curve.mean[at] ?? 0 })),
    intervals: hasInterval(curves.length)
      ? curve.at.map((x, at) => ({ x, low: curve.low[at] ?? 0, high: curve.high[at] ?? 0 }))
      : [],
  }));
}

/** Small charts, one an arm: its seeds as faint lines behind their mean. */
function seedCharts({ accounts }: ArenaSummary): Html {
  const [primary] = accounts;
  if (primary === undefined) return markup``;
  const charts = primary.arms.map(({ name, curves, curve }, style) => {
    const seeds = curves.map((points): Series => ({ label: "a seed", points, style, faint: true }));
    const middle = curve.at.map((x, at) => ({ x, y: curve.mean[at] ?? 0 }));
    const average: Series = { label: "mean", points: middle, style, marks: "line and dots" };
    return lineChart([...seeds, average], {
      title: name,
      note: plural(curves.length, "seed"),
      xLabel: accountNames[primary.account],
      range: [0, 1],
      span: [0, Math.max(1, primary.to)],
      format: percent,
      width: 360,
      height: 200,
      legend: false,
    });
  });
  return markup`<div class="multiples">${charts}</div>`;
}

// Differences between arms, each with its interval on one line; what lies across zero is not separated.

const WIDTH = 720;
const LABELS = 250;
/** For the numbers on the right. */
const FIGURES = 170;
const ROW = 26;

function differencesSection({ accounts, final }: ArenaSummary): Html {
  const [primary] = accounts;
  if (primary === undefined || primary.area.comparisons.length === 0) {
    return markup`<p class="none">There is nothing to compare.</p>`;
  }
  const lead = markup`<p class="lead">Left minus right within each seed. From three seeds on the thick line is the 95% interval of that difference alone, and the thin one is wide enough for all of them to hold together. Who is better is decided by the area in the primary account only, after Holm's correction for ${primary.area.comparisons.length} comparisons.</p>`;
  const plots = [
    forest(primary.area.comparisons, `Area under the curve, equal ${accountNames[primary.account]}`),
    forest(primary.end.comparisons, "Validation success when the budget is spent"),
    ...(final === undefined ? [] : [forest(final.comparisons, "Success on held-out tasks after the training")]),
  ];
  const others = accounts
    .slice(1)
    .map(({ account, area }) => forest(area.comparisons, `Area under the curve, equal ${accountNames[account]}`));
  return markup`${lead}<div class="stack">${plots}</div><details class="other"><summary>By the other accounts</summary><div class="stack">${others}</div></details>`;
}

/** A forest plot: a row for each comparison around a line at zero. */
function forest(comparisons: readonly Comparison[], title: string): Html {
  const height = 34 + ROW * comparisons.length;
  const reach = Math.max(
    0.05,
    ...comparisons.flatMap(({ difference, interval }) =>
      [difference, interval.low, interval.high].map((value) => (Number.isFinite(value) ? Math.abs(value) : 0)),
    ),
  );
  const most = Math.min(1, reach * 1.1);
  const x = (value: number): number => {
    const share = (Math.max(-most, Math.min(most, value)) + most) / (2 * most);
    return Math.round((LABELS + share * (WIDTH - LABELS - FIGURES)) * 10) / 10;
  };
  const rows = comparisons.map((one, at) => row(one, 12 + ROW * (at + 0.5), x));
  const [zero, bottom] = [x(0), height - 22];
  const ticks = [-most, 0, most].map(
    (value) =>
      markup`<text x="${x(value)}" y="${height - 5}" text-anchor="middle">${value === 0 ? "0" : withSign(value, 2)}</text>`,
  );
  return figure(
    { title, xLabel: "", width: WIDTH, height },
    markup`<line class="grid" x1="${zero}" x2="${zero}" y1="6" y2="${bottom}"/>${rows}${ticks}`,
  );
}

function row(one: Comparison, y: number, x: (value: number) => number): Html {
  const { left, right, difference, interval, simultaneous, better } = one;
  const label = markup`<text x="${LABELS - 14}" y="${y}" dy=".35em" text-anchor="end">${shortName(left)} − ${shortName(right)}</text>`;
  if (!Number.isFinite(difference)) return label;
  const tone = better === null ? "unsure" : "sure";
  const line = (low: number, high: number, width: number): Html =>
    markup`<line class="span ${tone}" stroke-width="${width}" x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}"/>`;
  const words = differenceWords(one);
  const lines = hasInterval(one.pairs)
    ? markup`${line(simultaneous.low, simultaneous.high, 1)}${line(interval.low, interval.high, 4)}`
    : undefined;
  return markup`${label}${lines}<circle class="mid ${tone}" cx="${x(difference)}" cy="${y}" r="5"><title>${left} − ${right}: ${words}, p ${one.adjustedP.toFixed(3)} after correction</title></circle><text x="${WIDTH - 4}" y="${y}" dy=".35em" text-anchor="end">${words}</text>`;
}

/** Names of ablations are long; their ends tell them apart. */
function shortName(name: string): string {
  return name.length <= 16 ? name : `…${name.slice(-15)}`;
}

// The tables of an arena's report.

function table(head: readonly string[], rows: readonly (readonly (string | Html)[])[], kind = ""): Html {
  const cells = rows.map(([first = "", ...rest]) => {
    const others = rest.map((cell) => markup`<td>${cell}</td>`);
    return markup`<tr><th scope="row">${first}</th>${others}</tr>`;
  });
  return markup`<div class="scroll"><table class="${kind}"><thead><tr>${head.map((title) => markup`<th scope="col">${title}</th>`)}</tr></thead><tbody>${cells}</tbody></table></div>`;
}

/** Arms from the best mean to the worst; ranks say what the data can tell. */
function resultTable(summary: ArenaSummary): Html {
  const { plan, accounts, ratings } = summary;
  const [primary] = accounts;
  if (primary === undefined) return markup`<p class="none">No run is finished yet.</p>`;
  const standings = new Map(primary.area.standings.arms.map((one) => [one.name, one]));
  const rows = rankArms(primary).map(({ name, area, end, reached }) => {
    const style = plan.arms.findIndex((arm) => arm.name === name);
    const standing = standings.get(name);
    const rating = ratings.find((one) => one.name === name);
    const held = summary.arms.find((arm) => arm.name === name)?.final;
    return [
      markup`<span class="swatch s${style % 4}"></span>${name}`,
      standing === undefined ? "–" : `${rankWords(standing)}\n${standing.letters}`,
      estimateCell(area),
      estimateCell(end),
      held === undefined ? "–" : estimateCell(held),
      ...reached.map((one) => reachedWords(one, primary.account)),
      rating === undefined
        ? "–"
        : `${Math.round(rating.rating)}${hasInterval(area.seeds) ? `\n[${Math.round(rating.low)}, ${Math.round(rating.high)}]` : ""}`,
    ];
  });
  const head = [
    "arm",
    "rank",
    "area under the curve",
    "success at the end",
    "held-out tasks",
    ...plan.targets.map((target) => `${accountNames[primary.account]} to ${percent(target)}`),
    "rating",
  ];
  return markup`<h3>Arms</h3>${table(head, rows, "arena")}<p class="lead">A rank such as 1 to 3 means that the data cannot say which; arms that share a letter are not separated. ${intervalNote(plan.seeds.length)} Ratings are Elo points from who won which seed.</p>`;
}

/** In two lines: the mean, and below it the interval or how few seeds there are. */
function estimateCell(estimate: Estimate): string {
  return estimateWords(estimate).replace(" (", "\n").replace(" [", "\n[").replace(")", "");
}

function intervalNote(seeds: number): string {
  return hasInterval(seeds) ? "Intervals are 95%, over seeds." : `${fewSeedsWords(seeds)}.`;
}

function reachedWords({ median, seeds }: Reached, account: string): string {
  if (median === null) return seeds === 0 ? "not reached" : `by ${seeds} only`;
  return account === "seconds" ? duration(median) : count(Math.round(median));
}

/** What arms can do by kind of task; undefined where there is but one kind. */
function familyTable({ arms, plan }: ArenaSummary): Html | undefined {
  const kinds = new Map(arms.flatMap(({ families }) => families.map(({ family, tasks }) => [family, tasks])));
  if (kinds.size < 2) return undefined;
  const shown = arms.filter(({ families }) => families.length > 0);
  const rows = [...kinds].map(([family, tasks]) => [
    family.replaceAll("_", " "),
    count(tasks),
    ...shown.map(({ families }) => {
      const own = families.find((one) => one.family === family);
      return own === undefined ? "–" : estimateCell(own.success);
    }),
  ]);
  return markup`<p class="lead">Success on held-out tasks after the training, means over the seeds. ${intervalNote(plan.seeds.length)}</p>${table(["kind of task", "tasks", ...shown.map(({ name }) => name)], rows)}`;
}

function costTable({ arms }: ArenaSummary): Html {
  const rows = arms.map(({ name, finished, cost, notices }) => [
    name,
    count(finished),
    ...(finished === 0
      ? ["–", "–", "–", "–", "–", "–"]
      : [
          cost.updates.toFixed(1),
          count(Math.round(cost.steps)),
          count(Math.round(cost.tokens)),
          count(Math.round(cost.modelTokens)),
          count(Math.round(cost.teacherTokens)),
          `${duration(cost.seconds)} (${(cost.seconds / cost.updates).toFixed(1)} s an update)`,
        ]),
    notices.length === 0
      ? ""
      : markup`<details><summary>${notices.length}</summary>${notices.slice(0, 20).map((one) => markup`<p>${one}</p>`)}</details>`,
  ]);
  const head = [
    "arm",
    "runs",
    "updates",
    "steps",
    "sampled tokens",
    "read or scored",
    "for the teacher",
    "training time",
    "notices",
  ];
  return markup`<p class="lead">Means over the runs. Evaluations are not in here.</p>${table(head, rows)}`;
}

function retentionTable({ arms }: ArenaSummary): Html | undefined {
  const measured = arms.flatMap(({ name, retention }) => (retention === undefined ? [] : [{ name, ...retention }]));
  if (measured.length === 0) return undefined;
  const rows = measured.map(({ name, seeds, ...one }) => [
    name,
    percent(one.startWithoutSkill),
    percent(one.startWithSkill),
    percent(one.withoutSkill),
    percent(one.withSkill),
    count(seeds),
  ]);
  const head = ["arm", "start, without", "start, with", "trained, without", "trained, with", "seeds"];
  return markup`<p class="lead">Success on held-out tasks with a skill for the very task in the prompt, and without. A skill that was distilled is no longer needed: the two are then close after the training.</p>${table(head, rows)}`;
}

/** What was compared, with every setting in which the arms differ. */
function planTable(plan: ArenaPlan): Html {
  const resolved = plan.arms.map((arm) => {
    const named = armSettings(arm);
    return { arm, ...named, settings: flattenSettings(named.settings) };
  });
  const keys = [...new Set(resolved.flatMap(({ settings }) => Object.keys(settings)))];
  const differing = keys.filter((key) => new Set(resolved.map(({ settings }) => settingWords(settings, key))).size > 1);
  const rows = [
    ["recipe", ...resolved.map(({ arm }) => arm.recipe)],
    ["credit", ...resolved.map(({ credit }) => credit)],
    ["strategy", ...resolved.map(({ strategy }) => strategy)],
    ...differing.map((key) => [key, ...resolved.map(({ settings }) => settingWords(settings, key))]),
  ];
  const shared = keys
    .filter((key) => !differing.includes(key))
    .map((key) => `${key} ${settingWords(resolved[0]?.settings ?? {}, key)}`)
    .join(", ");
  const { evaluation } = plan;
  const facts = [
    `Model ${plan.model}; seeds ${plan.seeds.join(", ")}; threads of a run ${plan.threads}.`,
    `Curves: ${evaluation.tasks} tasks of "${evaluation.split}" every ${evaluation.every} updates at temperature ${evaluation.temperature}. At the end: ${evaluation.finalTasks} tasks of "${evaluation.finalSplit}".`,
    ...(plan.noise > 0 ? [`${percent(plan.noise)} of the words of every observation are lost or garbled.`] : []),
  ];
  return markup`${facts.map((fact) => markup`<p class="lead">${fact}</p>`)}${table(["", ...plan.arms.map(({ name }) => name)], rows, "settings")}<details class="other"><summary>Settings that all arms share</summary><p class="lead">${shared}</p></details>`;
}

function settingWords(settings: Readonly<Record<string, OptionValue>>, key: string): string {
  return Object.hasOwn(settings, key) ? String(settings[key] ?? "none") : "–";
}
