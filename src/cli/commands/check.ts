/** `limbeck check`: whether a file of one's own keeps the contract of what it holds. */
import type { Command } from "../command.ts";
import { flag, text, texts } from "../options.ts";

export const check: Command = {
  group: "look",
  summary: "Check a world, reward or method of your own against its contract",
  usage: "FILE [--runs N] [--set NAME=VALUE…]",
  description:
    "The file is TypeScript or JavaScript; its default export is made by defineWorld, defineReward, defineCredit, defineStrategy, defineSearch, defineRecipe or defineObjective of limbeck, or defineAgent of limbeck/walk. Every promise of that kind of part is tried, and what breaks one is printed with the shortest script that shows it. The exit code is 1 when a promise is broken.\n" +
    "Recipes, objectives and agents are only made and looked at; the others are run. The suites need the package fast-check. docs/your-own-parts.md tells of such files.",
  arity: [1, 1],
  options: {
    runs: text("N", "Random scripts or batches for each promise. Default: 10"),
    set: texts("NAME=VALUE", "An option of the part"),
    turns: flag("Worlds: a refused action may use up a turn"),
  },
  examples: ["limbeck check ./world.ts", "limbeck check ./reward.ts --runs 50", "limbeck check ./world.ts --json"],
  jsonFields: {
    check: "a promise",
    ok: "whether it holds",
    error: "code and message of what breaks it; null where it holds",
    kind: "last line: what the file holds",
    name: "last line: its path and content hash",
    checks: "last line: promises tried",
    failed: "last line: promises broken",
  },
  run: async (invocation) => (await import("../methods/check-part.ts")).checkPart(invocation),
};
