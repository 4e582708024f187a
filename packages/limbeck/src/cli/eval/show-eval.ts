/** An evaluation for people: who plays, profiles side by side, what the comparison claims, rubrics and rescored runs. */
import type { Estimate, Profile } from "limbeck-core/eval/profile";
import type { PolicyComparison } from "limbeck-core/eval/compare";
import type { Rescoring } from "limbeck-core/eval/rescore-trajectories";
import type { RubricReport, RubricShare } from "limbeck-core/eval/rubrics/apply-rubrics";
import { worldWords } from "limbeck-core/env/world-words";
import type { EvalShows, NamedProfile } from "../../run/eval.inputs.ts";
import type { FigurePlace } from "../../run/given-parts.ts";
import { lostWords } from "limbeck-base/trajectory/tally";
import type { Invocation } from "../command.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatDuration, formatNumber, formatRate, plural } from "limbeck-base/base/units";

export function showEval(invocation: Invocation): EvalShows {
  return {
    place: (place, tasks) => sayPlace(invocation, place, tasks),
    profiles: (profiles, reference) => sayProfiles(invocation, profiles, reference),
    comparison: (comparison, left, other) => sayComparison(invocation, comparison, left, other),
    rubrics: (name, reports) => sayRubrics(invocation, name, reports),
    rescoring: (rescoring, kept) => sayRescoring(invocation, rescoring, kept),
    end: (stored, { run, fault, durationMs }) => {
      if (run === null) return;
      const { style } = invocation;
      const mark = fault === undefined ? style.green("✓") : style.yellow("!");
      invocation.print(
        `${mark} ${plural(stored, "episode")} in run ${style.cyan(run)} ${style.dim(`(${formatDuration(durationMs)})`)}`,
      );
    },
  };
}

/** Before anything is played: "household (dial tiny), split test, 50 tasks". */
export function sayPlace(
  { print, style }: Pick<Invocation, "print" | "style">,
  { env, envOptions, split }: FigurePlace,
  tasks: number,
): void {
  const world = cleanLine(worldWords(env, envOptions));
  print(`${style.bold(world)}, split ${cleanLine(split)}, ${plural(tasks, "task")}`);
}

function sayProfiles(invocation: Invocation, profiles: readonly NamedProfile[], reference: string | undefined): void {
  const rows = profileRows(
    profiles.map(({ profile }) => profile),
    reference,
  );
  const columns = ["", ...profiles.map(({ name }) => name)].map((title) => ({ title }));
  printTable(invocation, columns, rows);
  for (const { name, profile, asked = profile.episodes } of profiles) {
    if (profile.episodes === asked) continue;
    const seen = `${formatCount(profile.episodes)} of ${plural(asked, "episode")} of ${cleanLine(name)}`;
    invocation.print(
      `${invocation.style.yellow("!")} ${seen} were over within the budget; the others are in no figure.`,
    );
  }
  for (const { name, profile } of profiles) {
    if (profile.families.length === 0) continue;
    invocation.print();
    const heads = [profiles.length === 1 ? "family" : `family (${name})`, "tasks", "success", "steps"];
    const family = profile.families.map((one) => [
      one.family,
      formatCount(one.tasks),
      formatRate({ value: one.success.mean, low: one.success.low, high: one.success.high }),
      one.meanSteps.toFixed(1),
    ]);
    const [first = "", ...numbers] = heads;
    printTable(invocation, [first, ...numbers.map(right)], family);
  }
  invocation.print();
}

/** Rows that say nothing (no losses, no tokens, no reference) are left out. */
function profileRows(profiles: readonly Profile[], reference: string | undefined): string[][] {
  const row = (name: string, cell: (profile: Profile) => string | null): string[][] => {
    const cells = profiles.map(cell);
    return cells.every((text) => text === null) ? [] : [[name, ...cells.map((text) => text ?? "–")]];
  };
  const estimate = (value: Estimate | null): string | null =>
    value === null ? null : formatRate({ value: value.mean, low: value.low, high: value.high });
  const passes = profiles[0]?.passAtK.filter(({ k }) => k > 1) ?? [];
  const number = (value: number | null): string | null => value?.toFixed(1) ?? null;
  const least = reference ?? "reference";
  return [
    ...row("success", ({ success }) => (Number.isNaN(success.mean) ? "no figure" : estimate(success))),
    ...row("solved", ({ solved, episodes, failed, tasks }) =>
      failed === 0
        ? `${solved} of ${episodes} on ${plural(tasks, "task")}`
        : `${solved} of ${episodes - failed} seen of ${episodes} on ${plural(tasks, "task")}`,
    ),
    ...passes.flatMap(({ k }) =>
      row(`pass@${k}`, ({ passAtK }) => estimate(passAtK.find((one) => one.k === k) ?? null)),
    ),
    ...row("steps", ({ meanSteps }) => meanSteps.toFixed(1)),
    ...row("steps when solved", ({ meanStepsSolved: steps }) => (Number.isNaN(steps) ? null : steps.toFixed(1))),
    ...row("refused actions", ({ invalid }) => percent(invalid)),
    ...row(`steps to ${least}'s`, ({ efficiency: { stepsToReference: ratio } }) => ratio && timesWords(ratio)),
    ...row("weighted success", ({ efficiency }) => estimate(efficiency.weightedSuccess)),
    ...row("steps per success", ({ efficiency }) => number(efficiency.stepsPerSuccess)),
    ...row("tokens per success", ({ efficiency: { tokensPerSuccess, tokensPerEpisode } }) =>
      tokensPerEpisode === 0 ? null : number(tokensPerSuccess),
    ),
    ...row("tokens per episode", ({ efficiency: { tokensPerEpisode: tokens } }) =>
      tokens === 0 ? null : number(tokens),
    ),
    ...row("seconds per episode", ({ efficiency: { secondsPerEpisode: seconds } }) => seconds?.toFixed(3) ?? null),
    ...row("lost", ({ failed: lost, causes }) => (lost === 0 ? null : cleanLine(lostWords({ lost, causes })))),
    ...row("not judged", ({ unjudged }) => (unjudged === 0 ? null : formatCount(unjudged))),
  ];
}

/** "×1.42  (1.26 to 1.57)"; one episode has no interval. */
function timesWords({ mean, low, high }: Estimate): string {
  return Number.isFinite(low)
    ? `×${mean.toFixed(2)}  (${low.toFixed(2)} to ${high.toFixed(2)})`
    : `×${mean.toFixed(2)}`;
}

function sayComparison(invocation: Invocation, comparison: PolicyComparison, left: string, against: string): void {
  const { style } = invocation;
  const { tasks, difference, low, high, sign, separated, steps } = comparison;
  const [one, other] = [cleanLine(left), cleanLine(against)];
  const verdict = separated
    ? `${style.green("✓")} ${difference > 0 ? one : other} solves more.`
    : `${style.yellow("!")} Not separated: ${plural(tasks, "task")} cannot tell the two apart.`;
  invocation.print(
    `${verdict} ${one} less ${other}: ${points(difference)} points (95% interval ${points(low)} to ${points(high)}), better on ${plural(sign.better, "task")}, worse on ${sign.worse}, alike on ${sign.equal}; sign test ${chance(sign.p)}.`,
  );
  if (steps === null) return;
  const spread = steps.tasks < 2 ? "" : ` (95% interval ${steps.low.toFixed(1)} to ${steps.high.toFixed(1)})`;
  const change = `${steps.difference > 0 ? "+" : ""}${steps.difference.toFixed(1)}`;
  invocation.print(`  On ${plural(steps.tasks, "task")} both solved: ${change} steps${spread}.`);
}

function sayRubrics(invocation: Invocation, name: string, reports: readonly RubricReport[]): void {
  const titles = [`rubric (${name})`, "successes that show it", "failures that show it", "difference in points"];
  const rows = reports.map(({ rubric, good, successes, failures, difference }) => [
    `${good ? "+" : "−"} ${rubric}`,
    cell(successes),
    cell(failures),
    Number.isNaN(difference.difference)
      ? "–"
      : `${points(difference.difference)} (${points(difference.low)} to ${points(difference.high)})`,
  ]);
  printTable(invocation, titles, rows);
  invocation.print(
    invocation.style.dim("+ good to show, − a fault; shares of the trajectories to which it applies, 95% intervals."),
  );
}

function cell(share: RubricShare): string {
  if (share.applicable === 0) return "does not apply";
  return `${share.shown} of ${share.applicable}: ${formatRate({ value: share.share, low: share.low, high: share.high })}`;
}

function sayRescoring(invocation: Invocation, rescoring: Rescoring, kept: boolean): void {
  const { trajectories, ...summary } = rescoring;
  const { order } = summary;
  const pairs = order.kept + order.tied + order.reversed;
  const rows = [
    ["mean", estimateWords(summary.stored), estimateWords(summary.rescored)],
    ["difference", "", estimateWords(summary.difference)],
    ["success above failure", shareWords(summary.storedTells), shareWords(summary.rescoredTells)],
    ["another score", "", `${summary.changed} of ${trajectories.length}`],
    ["not scored", "", String(summary.unscored)],
    ["rank correlation", "", summary.correlation === null ? "–" : summary.correlation.toFixed(2)],
    ["order in groups", "", pairs === 0 ? "–" : `${order.kept} kept, ${order.tied} tied, ${order.reversed} reversed`],
  ];
  const head = plural(trajectories.length, "trajectory", "trajectories");
  printTable(invocation, [head, "stored", summary.reward], rows);
  if (kept) invocation.print(`${invocation.style.green("✓")} Stored as the reward ${summary.reward} of the same run.`);
}

function estimateWords(estimate: Estimate | null): string {
  if (estimate === null) return "–";
  const { mean, low, high } = estimate;
  return Number.isFinite(low) && low !== high
    ? `${formatNumber(mean)}  (${formatNumber(low)} to ${formatNumber(high)})`
    : formatNumber(mean);
}

function shareWords(share: number | null): string {
  return share === null ? "–" : share.toFixed(2);
}

/** 0.1234 → "12.3%"; a dash where there is none. */
function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${(share * 100).toFixed(1)}%`;
}

/** A difference of shares, in points: "+12.0". */
function points(difference: number): string {
  if (Number.isNaN(difference)) return "–";
  const text = (difference * 100).toFixed(1);
  return difference > 0 ? `+${text}` : text;
}

/** A p-value: two digits, and no claim beyond one in ten thousand. */
function chance(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${Number(p.toPrecision(2))}`;
}
