/** One entry of a registry as a section of a page, and several as a table. */
import { defaultText } from "../../packages/base/src/base/options.ts";
import { followsWords } from "../../packages/base/src/base/method-info.ts";
import type { Method } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { cell, table } from "./markdown.ts";
import { paperText } from "./papers.ts";

const code = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(", ");

/** Formula, needs, options and departures; `more` comes before the departures. */
export function entrySection(method: Method, more: readonly string[] = []): string {
  const { id, title, meaning, paper = "", source, formula = [], departures = [] } = method;
  const sometimes = Object.entries(method.mayNeed).map(([name, when]) => `\`${name}\` (${cell(when)})`);
  const given = method.room === "reward";
  const needs = [code(method.needs), ...(given ? [] : sometimes)].filter((text) => text !== "").join(", ");
  const sentences = [
    ...(needs === "" ? [] : [`Needs ${needs}.`]),
    ...(method.takes === undefined
      ? []
      : [
          `${method.ratios === true ? "Lives on ratios to the old policy. " : ""}Default in a training: ${code(method.takes)}.`,
        ]),
    ...(given && sometimes.length > 0 ? [`May be given ${sometimes.join(", ")}.`] : []),
    ...(method.effect === undefined ? [] : [`Its metric \`${method.effect.metric}\` counts ${method.effect.counts}.`]),
    ...(method.repeats === true ? ["It lives on tasks that come again: `tasks.pool` is 64 by default."] : []),
  ];
  return [
    `### ${id}`,
    `**${cell(title)}.** ${cell(meaning)} ${paperText(paper)}. Follows: ${followsWords(method)}.${source === undefined ? "" : ` Read: ${cell(source)}.`} Code: \`${method.file}\`.`,
    ["```text", ...formula, "```"].join("\n"),
    ...(sentences.length === 0 ? [] : [sentences.join(" ")]),
    ...optionTable(method),
    ...more,
    ...(departures.length === 0
      ? []
      : [["Departures:", "", ...departures.map((text) => `- ${cell(text)}`)].join("\n")]),
  ].join("\n\n");
}

/** Nothing for an entry without options. */
export function optionTable({ options }: Pick<Method, "options">, prefix = "", title = "option"): string[] {
  if (options.length === 0) return [];
  const rows = options.map((option) => [
    `\`${prefix}${option.name}\``,
    cell(defaultText(option.default)),
    cell(option.allowed),
    cell(option.meaning),
  ]);
  return [table([title, "default", "takes", "meaning"], rows)];
}

/** All of them at a glance. */
export function overview(kind: string, methods: readonly Method[], columns: readonly ("room" | "needs")[]): string {
  return table(
    [
      kind,
      ...columns.filter((column) => column === "room"),
      "follows",
      ...columns.filter((column) => column === "needs"),
      "meaning",
      "paper",
    ],
    methods.map((method) => [
      `[\`${method.id}\`](#${method.id})`,
      ...(columns.includes("room") ? [method.room] : []),
      followsWords(method),
      ...(columns.includes("needs") ? [code(method.needs)] : []),
      cell(method.meaning),
      paperText(method.paper ?? ""),
    ]),
  );
}
