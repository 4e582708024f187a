/** The report as Markdown. Names are from files of others: they can neither end a cell nor become a link or a tag. */
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, formatRate, plural } from "limbeck-base/base/units";
import type { Estimate } from "limbeck-core/eval/profile";
import type { Cut, SuiteReport } from "./report.ts";

const LONGEST = 80;

export function reportText(report: SuiteReport): string {
  const { suite, version, policy, samples, tasks, episodes, unscored, causes, cost, variants } = report;
  const why = Object.entries(causes).map(([cause, count]) => `${plain(cause)} (${count})`);
  return [
    `# ${plain(suite)} ${plain(version)}: ${plain(policy)}`,
    "",
    `Accuracy ${words(report.accuracy)} over ${plural(tasks, "task")}, ${plural(episodes, "episode")}${samples > 1 ? `, ${samples} of each task` : ""}.`,
    ...(unscored === 0 ? [] : ["", `Without a score, in no figure: ${unscored}: ${why.slice(0, 5).join("; ")}.`]),
    ...cutTable("grader", report.graders),
    ...cutTable("bucket", report.buckets),
    ...cutTable("world", report.worlds),
    ...cutTable("template", report.templates),
    ...cutTable("new in it", report.unseen),
    ...(variants === null
      ? []
      : [
          "",
          `Variants: ${plural(variants.groups, "group")}; right in all ${words(variants.right)}, alike in all ${words(variants.alike)}.`,
        ]),
    ...valueTable(report.values),
    "",
    `Cost: ${[plural(cost.steps, "step"), plural(cost.modelCalls, "model call"), `${formatCount(cost.sampledTokens)} tokens sampled`, `${formatCount(cost.readTokens)} read`].join(", ")}.`,
    "",
    `Suite ${report.digest.slice(0, 16)}, tasks ${report.frozen.slice(0, 16)}.`,
    "",
  ].join("\n");
}

function cutTable(what: string, cuts: Readonly<Record<string, Cut>>): string[] {
  const rows = Object.entries(cuts);
  if (rows.length === 0) return [];
  return [
    "",
    `| ${what} | tasks | accuracy |`,
    "| --- | ---: | --- |",
    ...rows.map(([name, { tasks, accuracy }]) => `| ${plain(name)} | ${formatCount(tasks)} | ${words(accuracy)} |`),
  ];
}

function valueTable(values: SuiteReport["values"]): string[] {
  const rows = Object.entries(values);
  if (rows.length === 0) return [];
  return [
    "",
    "| value | 0 | 1 | tasks | position |",
    "| --- | --- | --- | ---: | --- |",
    ...rows.map(
      ([name, { low, high, tasks, position }]) =>
        `| ${plain(name)} | ${plain(low)} | ${plain(high)} | ${formatCount(tasks)} | ${words(position)} |`,
    ),
  ];
}

function words(estimate: Estimate | null): string {
  if (estimate === null) return "no figure";
  const { mean: value, low, high } = estimate;
  return formatRate({ value, low, high });
}

function plain(text: string): string {
  return cleanLine(text)
    .slice(0, LONGEST)
    .replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`);
}
