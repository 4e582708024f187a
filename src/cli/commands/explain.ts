/** `limbeck explain`: one method, with its formula, its defaults and an example that is computed on the spot. */
import type { Command } from "../command.ts";

export const explain: Command = {
  group: "look",
  summary: "Explain one method, recipe, world or teacher: formula, options, a worked example, departures",
  usage: "NAME|FILE",
  arity: [1, 1],
  options: {},
  examples: ["limbeck explain opid", "limbeck explain gigpo --json", "limbeck explain ./world.ts"],
  jsonFields: {
    id: "name of the method",
    room: "registry: credit, reward, objective, rollout, search, recipe, env, teacher, ...",
    title: "name in print",
    paper: "where it was published",
    confidence: "what the formula follows: code, paper, inferred or practice",
    meaning: "one sentence",
    formula: "lines of plain text",
    needs: "what it cannot do without: fields of the batch, or what a reward is given",
    mayNeed: "fields it needs sometimes, and when",
    options: "name, default, allowed values and meaning of each option",
    departures: "where it departs from what was published, and what was published in more than one way",
    unlearned: "worlds that it has unlearned at its defaults, in a small training (docs/matrix.md)",
    file: "where it is",
    effect: "strategies: the metric that says whether it did anything, and what it counts",
    repeats: "strategies: true where it lives on tasks that come again",
    example: "about, batch (a file for limbeck credit --in), options and the result; credit methods only",
  },
  run: async (invocation) => (await import("../methods/explain-method.ts")).explainMethod(invocation),
};
