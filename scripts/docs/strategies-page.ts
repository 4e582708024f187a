/** docs/strategies.md: every rollout strategy, from the registry. */
import { allowedValues, defaultText } from "../../src/base/index.ts";
import { strategyNeeds, type StrategyDefinition } from "../../src/rollout/index.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function strategiesPage(strategies: Readonly<Record<string, StrategyDefinition>>): string {
  const entries = Object.entries(strategies);
  return `${[
    GENERATED,
    "# Rollout strategies",
    `${entries.length} strategies. A strategy decides which episodes are walked, from where and how far; the loop does the rest: [rollouts.md](rollouts.md). \`limbeck rollout --strategy NAME --set OPTION=VALUE\` uses one, \`limbeck train --strategy NAME\` trains with one, \`limbeck explain NAME\` prints one.`,
    table(
      ["strategy", "follows", "needs", "meaning", "paper"],
      entries.map(([id, { info, needs }]) => [
        `[\`${id}\`](#${id})`,
        info.confidence,
        needs.map((need) => `\`${need}\``).join(", "),
        cell(info.meaning),
        cell(info.paper),
      ]),
    ),
    table(
      ["need", "what it is"],
      Object.entries(strategyNeeds).map(([need, what]) => [`\`${need}\``, cell(what)]),
    ),
    "A strategy of your own: [write-a-strategy.md](write-a-strategy.md).",
    ...entries.map(([id, definition]) => methodSection(id, definition, `src/rollout/${id}.ts`)),
  ].join("\n\n")}\n`;
}

/** One method with its formula, options and departures; `code` is where it lives. */
export function methodSection(
  id: string,
  { info, options }: Pick<StrategyDefinition, "info" | "options">,
  code: string,
): string {
  const { title, paper, confidence, formula, meaning, departures } = info;
  const rows = Object.entries(options);
  return [
    `### ${id}`,
    `**${cell(title)}.** ${cell(meaning)} ${cell(paper)}. Follows: ${confidence}. Code: \`${code}\`.`,
    ["```text", ...formula, "```"].join("\n"),
    ...(rows.length === 0
      ? []
      : [
          table(
            ["option", "default", "takes", "meaning"],
            rows.map(([name, spec]) => [
              `\`${name}\``,
              cell(defaultText(spec.default)),
              cell(allowedValues(spec)),
              cell(spec.meaning),
            ]),
          ),
        ]),
    ...(departures.length === 0
      ? []
      : [["Departures:", "", ...departures.map((departure) => `- ${cell(departure)}`)].join("\n")]),
  ].join("\n\n");
}
