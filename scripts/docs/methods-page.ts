/** docs/lookup/generated/methods.md: every method with its formula, its paper and its departures, from the registries. */
import { assignCredit } from "../../packages/core/src/credit/assign.ts";
import { batchFromJson } from "../../packages/core/src/credit/batch-json.ts";
import { getCredit } from "../../packages/core/src/credit/registry.ts";
import type { Example } from "../../packages/core/src/credit/credit.ts";
import { createStyle } from "../../packages/limbeck/src/cli/look/style.ts";
import type { Method } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { creditLines } from "../../packages/limbeck/src/cli/methods/credit-lines.ts";
import { entrySection, overview } from "./entry-section.ts";
import { cell, GENERATED } from "./markdown.ts";

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
    `${methods.length} methods: ${from("code")} follow published code, ${from("paper")} a paper, ${from("reading")} a third party's reading of one, ${from("inferred")} an abstract: the last two are experimental (\`limbeck/experimental\`) and may change. \`limbeck explain NAME\` prints any of them with an example that it computes on the spot.`,
    overview("method", methods, ["room", "needs"]),
    "`limbeck credit --method NAME --in batch.json` runs a credit method on a file. Its form is in [credit-batch.schema.json](credit-batch.schema.json). An advantage is the sum of the method's terms, each `weight` times `value`, times the mask; the result names every term.",
    "How far they agree with published code is in [parity](../../evidence/generated/parity.md).",
    ...ROOMS.flatMap(([room, title]) => {
      const own = methods.filter((method) => method.room === room);
      return own.length === 0 ? [] : [`## ${title}`, ...own.map(section)];
    }),
  ].join("\n\n")}\n`;
}

function section(method: Method): string {
  return entrySection(method, method.example === undefined ? [] : [example(method.id, method.example)]);
}

function example(id: string, { about, batch: json, options: given = {} }: Example): string {
  const batch = batchFromJson(json);
  const lines = creditLines(batch, assignCredit(getCredit(id), batch, given), { style: createStyle(false) });
  const settings = Object.entries(given).map(([key, value]) => `\`${key}=${String(value)}\``);
  const how = settings.length === 0 ? "" : ` With ${settings.join(", ")}.`;
  return [`Example: ${cell(about)}${how}`, ["```text", ...lines, "```"].join("\n")].join("\n\n");
}
