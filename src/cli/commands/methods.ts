/** `limbeck methods`: every method, what it means and what it needs. */
import type { Command } from "../command.ts";
import { text } from "../options.ts";

const ROOMS = ["rollout", "search", "reward", "credit", "objective"];

export const methods: Command = {
  group: "look",
  summary: "List every method and what it needs",
  usage: "[--room R]",
  description:
    "Strategies (rollout) decide which episodes are walked, searches spend more compute on one task, rewards judge them, credit methods turn rewards into advantages, objectives turn advantages into gradients.",
  options: {
    room: text("R", "Only methods of this room", () => ROOMS),
  },
  examples: ["limbeck methods", "limbeck methods --room credit --json"],
  jsonFields: {
    id: "name of the method",
    room: "rollout, search, reward, credit or objective",
    title: "name in print",
    paper: "where it was published",
    confidence: "what the formula follows: code, paper, inferred or practice",
    experimental: "whether it was inferred from an abstract and may change",
    needs: "what it cannot do without: fields of the batch, or what a reward is given",
    mayNeed: "fields it needs sometimes, and when",
    unlearned: "worlds that it has unlearned at its defaults, in a small training (docs/matrix.md)",
    meaning: "one sentence",
  },
  run: async (invocation) => (await import("../methods/list-methods.ts")).listMethods(invocation),
};
