/** The committed table of the matrix, for readers and for programs. */
import { writeFile } from "node:fs/promises";
import { KINDS, REPORT_TASKS, SHARED_SETTINGS, UPDATES } from "./line.ts";
import type { LineResult } from "./run-line.ts";

/** Two standard errors of a difference of two shares of the held-out tasks are about this much. */
const BLUR = 0.15;

const TITLES = {
  recipe: "Recipes",
  credit: "Credit methods",
  objective: "Objectives",
  strategy: "Rollout strategies",
  reward: "Rewards",
} as const;

export async function writePage(results: readonly LineResult[], all: number): Promise<void> {
  await writeFile(new URL("../../docs/evidence/generated/matrix.md", import.meta.url), pageOf(results, all));
  await writeFile(
    new URL("../../docs/evidence/generated/matrix.json", import.meta.url),
    `${JSON.stringify(results, undefined, 1)}\n`,
  );
}

export function pageOf(results: readonly LineResult[], all: number): string {
  const shared = Object.entries(SHARED_SETTINGS).map(([key, value]) => `\`${key}=${value}\``);
  const failed = results.filter(({ failure }) => failure !== null);
  return [
    "# Matrix",
    "",
    "Written by `npm run matrix`; the same numbers for programs are in [matrix.json](matrix.json). Every registered recipe, credit method, objective, rollout strategy and reward runs a small training, with whatever it needs supplied. A method counts as working only when it stands here without a failure.",
    "",
    `${results.length} of ${all} lines have run, ${failed.length} failed. A line is ${UPDATES} updates (${shared.join(", ")}) from the bundled model, one seed; success is measured on ${REPORT_TASKS} held-out tasks before and after, so that a difference below about ${BLUR} means nothing: this table shows that methods run and what they cost, not which is better. The world is household \`tiny\` unless the line says otherwise; the bundled model knows no other, so that elsewhere it only babbles. Every line begins with the same weights; 97 of them ran on 2026-11-17 on another machine than the others, so their seconds cannot be compared with the rest.`,
    "",
    "*reward*: mean of the first and the last five updates. *entropy*: mean surprise of a sampled token in the first and the last update, in nats. *steps*: environment steps, *tokens*: sampled and read or scored, both with what providers took.",
    "",
    ...KINDS.flatMap((kind) => section(kind, results)),
    ...unlearned(results),
    ...failures(failed),
  ].join("\n");
}

function section(kind: (typeof KINDS)[number], results: readonly LineResult[]): string[] {
  const own = results.filter(({ line }) => line.startsWith(`${kind}/`));
  if (own.length === 0) return [];
  return [
    `## ${TITLES[kind]}`,
    "",
    "| line | success | reward | entropy | steps | tokens (sampled + read) | seconds | supplied by |",
    "| --- | --- | --- | --- | ---: | --- | ---: | --- |",
    ...own.map(rowOf),
    "",
  ];
}

function rowOf(result: LineResult): string {
  const { line, failure, env, strategy, supplied, spent, seconds } = result;
  const name = line.slice(line.indexOf("/") + 1);
  const where = [
    ...(env === "household" ? [] : [`on ${env}`]),
    ...(strategy === "group" || strategy === name ? [] : [`strategy ${strategy}`]),
  ];
  const told = [supplied, ...where].filter((text) => text !== "").join("; ");
  const label = failure === null ? `\`${name}\`` : `\`${name}\` (failed after ${result.updates} updates)`;
  const cells = [
    label,
    change(result.before, result.after, 2),
    change(result.rewardFirst, result.rewardLast, 2),
    change(result.entropyFirst, result.entropyLast, 2),
    spent === null ? "" : count(spent.environmentSteps),
    spent === null ? "" : `${count(spent.sampledTokens)} + ${count(spent.modelTokens)}`,
    seconds.toFixed(1),
    told,
  ];
  return `| ${cells.join(" | ")} |`;
}

function change(from: number | null, to: number | null, digits: number): string {
  const shown = (value: number | null): string => (value === null ? "–" : value.toFixed(digits));
  return from === null && to === null ? "" : `${shown(from)} → ${shown(to)}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-GB");
}

/** Beyond what the number of held-out tasks can blur: lines that lost, and those that had nothing to learn from. */
function unlearned(results: readonly LineResult[]): string[] {
  const lost = results.filter(({ before, after }) => before !== null && after !== null && after < before - BLUR);
  const never = results.filter(({ before, after }) => before === 0 && after === 0);
  const names = (some: readonly LineResult[]): string => some.map(({ line }) => `\`${line}\``).join(", ") || "none";
  return [
    "## What failed to learn here",
    "",
    `Success fell by more than ${BLUR}: ${names(lost)}.`,
    "",
    "Objectives that stand for the policy loss take four steps of the optimiser from every 16 episodes here, so that ratios leave 1 and clips have something to do; at this learning rate that is too much for most of them, the plain clipped loss included. Rewards of that list pay for something else than the goal (format, valid turns), and the policy learns that instead.",
    "",
    `Nothing was solved before or after: ${names(never)}. They run on a world that the bundled model does not know.`,
    "",
  ];
}

function failures(failed: readonly LineResult[]): string[] {
  if (failed.length === 0) return [];
  const told = failed.map(({ line, failure }) => `- \`${line}\`: ${failure?.message.replaceAll("\n", " ") ?? ""}`);
  return ["## Failures", "", ...told, ""];
}
