/** docs/lookup/generated/strategies.md: every rollout strategy, from the registry. */
import type { Method } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { strategyNeeds } from "../../packages/core/src/walk/line/strategy.ts";
import { entrySection, overview } from "./entry-section.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function strategiesPage(strategies: readonly Method[]): string {
  return `${[
    GENERATED,
    "# Rollout strategies",
    `${strategies.length} strategies. A strategy decides which episodes are walked, from where and how far; the loop does the rest: [rollouts.md](../rollouts.md). \`limbeck rollout --strategy NAME --set OPTION=VALUE\` uses one, \`limbeck train --strategy NAME\` trains with one, \`limbeck explain NAME\` prints one.`,
    "A training counts what its strategy did that plain groups would not have, as a metric of every update. Where the count stays 0 to the end of a run, the run says so in one line, with the most likely reason. Strategies with branches also have `strategy/tokensSaved`: the share of tokens that as many independent episodes would have taken besides.",
    "`--set tasks.pool=64` gives a training that many tasks of its split, drawn by its seed: each is visited once before any twice, in an order of its own in every epoch. Strategies that live on tasks that come again have such a pool by default; the others have the whole split, which is played in the same way where it has an end. The pool is stored with the run (event `pool`), and a resumed run goes on in the order. `tasks/visitsBefore` says how often the tasks of an update were visited before.",
    overview("strategy", strategies, ["needs"]),
    table(
      ["need", "what it is"],
      Object.entries(strategyNeeds).map(([need, what]) => [`\`${need}\``, cell(what)]),
    ),
    "A strategy of your own: [write-a-strategy.md](../../learn/write-a-strategy.md).",
    ...strategies.map((strategy) => entrySection(strategy)),
  ].join("\n\n")}\n`;
}
