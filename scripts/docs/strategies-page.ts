/** docs/strategies.md: every rollout strategy, from the registry. */
import type { Method } from "../../src/cli/methods/all-methods.ts";
import { strategyNeeds } from "../../src/walk/index.ts";
import { entrySection, overview } from "./entry-section.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function strategiesPage(strategies: readonly Method[]): string {
  return `${[
    GENERATED,
    "# Rollout strategies",
    `${strategies.length} strategies. A strategy decides which episodes are walked, from where and how far; the loop does the rest: [rollouts.md](rollouts.md). \`limbeck rollout --strategy NAME --set OPTION=VALUE\` uses one, \`limbeck train --strategy NAME\` trains with one, \`limbeck explain NAME\` prints one.`,
    overview("strategy", strategies, ["needs"]),
    table(
      ["need", "what it is"],
      Object.entries(strategyNeeds).map(([need, what]) => [`\`${need}\``, cell(what)]),
    ),
    "A strategy of your own: [write-a-strategy.md](write-a-strategy.md).",
    ...strategies.map((strategy) => entrySection(strategy)),
  ].join("\n\n")}\n`;
}
