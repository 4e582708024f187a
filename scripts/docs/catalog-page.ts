/** docs/catalog.md: every published system and its state here. */
import { STATES, type Entry } from "../../src/cli/catalog/system.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function catalogPage(entries: readonly Entry[]): string {
  const families = [...new Set(entries.map((entry) => entry.family))].sort();
  const count = (state: string): number => entries.filter((entry) => entry.state === state).length;
  return `${[
    GENERATED,
    "# Catalog",
    `${entries.length} published systems, and whether each works here. \`limbeck catalog NAME\` tells more about one; its data is \`data/catalog.tsv\`, and \`data/claims.tsv\` for what works.`,
    table(
      ["state", "systems", "means"],
      [
        ["works", String(count("works")), "it runs; the command shows it"],
        ["part", String(count("part")), "something of it runs; the last column says what is missing"],
        ["not yet", String(count("not yet")), "nothing of it runs; the last column says why"],
      ].filter(([state]) => STATES.some((known) => known === state)),
    ),
    ...families.flatMap((family) => [
      `## ${family}`,
      table(
        ["system", "what it does", "state", "lives in", "command or reason"],
        entries.filter((entry) => entry.family === family).map(row),
      ),
    ]),
  ].join("\n\n")}\n`;
}

function row(entry: Entry): string[] {
  const command = entry.command === null ? "" : `\`${entry.command}\``;
  const reason = entry.reason === null ? "" : cell(entry.reason);
  return [
    `**${cell(entry.system)}**`,
    cell(entry.what),
    entry.state,
    entry.lives === null ? "" : `\`${entry.lives}\``,
    [command, reason].filter((part) => part !== "").join(" "),
  ];
}
