/** The tables of an arena's report. */
import { markup, type Html } from "../../eval/report/html.ts";
import { count, duration, percent } from "../../eval/report/numbers.ts";
import type { OptionValue } from "../../base/index.ts";
import { armSettings, type ArenaPlan } from "../plan.ts";
import { hasInterval } from "../../base/statistics/student-t.ts";
import { ranked, type ArenaSummary, type Estimate, type Reached } from "../summary.ts";
import { accountNames, estimateWords, fewSeedsWords, rankWords } from "../words.ts";

function table(head: readonly string[], rows: readonly (readonly (string | Html)[])[], kind = ""): Html {
  const cells = rows.map(([first = "", ...rest]) => {
    const others = rest.map((cell) => markup`<td>${cell}</td>`);
    return markup`<tr><th scope="row">${first}</th>${others}</tr>`;
  });
  return markup`<div class="scroll"><table class="${kind}"><thead><tr>${head.map((title) => markup`<th scope="col">${title}</th>`)}</tr></thead><tbody>${cells}</tbody></table></div>`;
}

/** Arms from the best mean to the worst; ranks say what the data can tell. */
export function resultTable(summary: ArenaSummary): Html {
  const { plan, accounts, ratings } = summary;
  const [primary] = accounts;
  if (primary === undefined) return markup`<p class="none">No run is finished yet.</p>`;
  const standings = new Map(primary.area.standings.arms.map((one) => [one.name, one]));
  const rows = ranked(primary).map(({ name, area, end, reached }) => {
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
export function familyTable({ arms, plan }: ArenaSummary): Html | undefined {
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

export function costTable({ arms }: ArenaSummary): Html {
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

export function retentionTable({ arms }: ArenaSummary): Html | undefined {
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
export function planTable(plan: ArenaPlan): Html {
  const resolved = plan.arms.map((arm) => ({ arm, ...armSettings(arm) }));
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
