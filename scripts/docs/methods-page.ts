/** docs/methods.md: every method with its formula, its paper and its departures, from the registries. */
import { defaultText } from "../../src/base/index.ts";
import { assignCredit, batchFromJson, getCredit, type Example } from "../../src/credit/index.ts";
import { createStyle } from "../../src/cli/look/style.ts";
import type { Method } from "../../src/cli/methods/all-methods.ts";
import { creditLines } from "../../src/cli/methods/credit-lines.ts";
import { cell, GENERATED, table } from "./markdown.ts";

const ROOMS: readonly (readonly [Method["room"], string])[] = [
  ["credit", "Credit: from rewards to advantages"],
  ["objective", "Objective: from advantages to gradients"],
];

export function methodsPage(methods: readonly Method[]): string {
  const from = (confidence: Method["confidence"]): number =>
    methods.filter((method) => method.confidence === confidence).length;
  return `${[
    GENERATED,
    "# Methods",
    `${methods.length} methods: ${from("code")} follow published code, ${from("paper")} a paper, ${from("inferred")} an abstract. \`limbeck explain NAME\` prints any of them with an example that it computes on the spot.`,
    table(
      ["method", "room", "follows", "needs", "meaning", "paper"],
      methods.map((method) => [
        `[\`${method.id}\`](#${method.id})`,
        method.room,
        method.confidence,
        method.needs.map((need) => `\`${need}\``).join(", "),
        cell(method.meaning),
        cell(method.paper),
      ]),
    ),
    "`limbeck credit --method NAME --in batch.json` runs a credit method on a file. Its form is in [credit-batch.schema.json](credit-batch.schema.json). An advantage is the sum of the method's terms, each `weight` times `value`, times the mask; the result names every term.",
    "How far they agree with published code is in [parity](parity.md).",
    ...ROOMS.flatMap(([room, title]) => {
      const own = methods.filter((method) => method.room === room);
      return own.length === 0 ? [] : [`## ${title}`, ...own.map(section)];
    }),
  ].join("\n\n")}\n`;
}

function section(method: Method): string {
  const sometimes = Object.entries(method.mayNeed).map(([field, when]) => `\`${field}\` (${cell(when)})`);
  const needs = [...method.needs.map((need) => `\`${need}\``), ...sometimes];
  return [
    `### ${method.id}`,
    `**${cell(method.title)}.** ${cell(method.meaning)} ${cell(method.paper)}. Follows: ${method.confidence}. Code: \`${method.file}\`.`,
    ["```text", ...method.formula, "```"].join("\n"),
    ...(needs.length === 0 ? [] : [`Needs ${needs.join(", ")}.`]),
    ...(method.options.length === 0 ? [] : [options(method)]),
    ...(method.example === undefined ? [] : [example(method.id, method.example)]),
    ...(method.departures.length === 0
      ? []
      : [["Departures:", "", ...method.departures.map((departure) => `- ${cell(departure)}`)].join("\n")]),
  ].join("\n\n");
}

function options(method: Method): string {
  return table(
    ["option", "default", "takes", "meaning"],
    method.options.map((option) => [
      `\`${option.name}\``,
      cell(defaultText(option.default)),
      cell(option.allowed),
      cell(option.meaning),
    ]),
  );
}

function example(id: string, { about, batch: json, options: given = {} }: Example): string {
  const batch = batchFromJson(json);
  const lines = creditLines(batch, assignCredit(getCredit(id), batch, given), { style: createStyle(false) });
  const settings = Object.entries(given).map(([key, value]) => `\`${key}=${String(value)}\``);
  const how = settings.length === 0 ? "" : ` With ${settings.join(", ")}.`;
  return [`Example: ${cell(about)}${how}`, ["```text", ...lines, "```"].join("\n")].join("\n\n");
}
