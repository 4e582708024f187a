/** `limbeck methods`: every method, what it means and what it needs. */
import { input } from "limbeck-base/base/input";
import type { Method } from "../methods/all-methods.ts";
import { defineCommand } from "../command-of.ts";
import { printTable } from "../look/table.ts";
import { plural } from "limbeck-base/base/units";

/** Fields that explain has too. */
export const methodFacts = {
  id: "name of the method",
  title: "name in print",
  paper: "where it was published",
  confidence: "what the formula follows: code, paper, reading (of a third party), inferred or practice",
  source: "what was read: repository, commit and function, or sections of the paper; null when nothing is named",
  needs: "what it cannot do without: fields of the batch, or what a reward is given",
  mayNeed: "fields it needs sometimes, and when",
  unlearned: "worlds that it has unlearned at its defaults, in a small training (docs/evidence/generated/matrix.md)",
  meaning: "one sentence",
};

export const methods = defineCommand({
  group: "look",
  summary: "List every method and what it needs",
  description:
    "Strategies (rollout) decide which episodes are walked, searches spend more compute on one task, rewards judge them, credit methods turn rewards into advantages, objectives turn advantages into gradients.",
  input: {
    room: input.choice("R", "Only methods of this room", ["rollout", "search", "reward", "credit", "objective"]),
  },
  examples: ["limbeck methods", "limbeck methods --room credit --json"],
  line: {
    ...methodFacts,
    room: "rollout, search, reward, credit or objective",
    experimental: "whether it follows an abstract or a third party's reading and may change",
  },
  run: async ({ room }, frame) => {
    const { allMethods } = await import("../methods/all-methods.ts");
    const { unlearnedWorlds } = await import("limbeck-training/training/unlearned");
    const { followsWords, isExperimental } = await import("limbeck-base/base/method-info");
    const { style, print } = frame;
    const listed = allMethods().filter((method) => (room ?? method.room) === method.room);
    const unlearning: string[] = [];
    for (const method of listed) {
      const { id, room: own, title, paper, confidence, source = null, needs, mayNeed, meaning } = method;
      const unlearned = unlearnedWorlds(own, id);
      if (unlearned.length > 0) unlearning.push(id);
      const experimental = isExperimental(method);
      frame.emit({ id, room: own, title, paper, confidence, source, experimental, needs, mayNeed, unlearned, meaning });
    }
    const bold = { title: "method", paint: style.bold };
    printTable(
      frame,
      [bold, { title: "room", paint: style.cyan }, "from", "needs", "meaning", { title: "paper", paint: style.dim }],
      listed.map((method) => {
        const { id, needs, meaning, paper = "-" } = method;
        return [id, method.room, followsWords(method), needs.join(", ") || "-", meaning, paper];
      }),
      { piped: 200 },
    );
    const from = (confidence: Method["confidence"]): number =>
      listed.filter((method) => method.confidence === confidence).length;
    print();
    print(
      `${plural(listed.length, "method")}: ${from("code")} follow published code, ${from("paper")} a paper, ${from("reading")} a third party's reading of one, ${from("inferred")} an abstract (both experimental), ${from("practice")} common practice`,
    );
    if (unlearning.length > 0) {
      print(`Have unlearned a world at their defaults (docs/evidence/generated/matrix.md): ${unlearning.join(", ")}`);
    }
    frame.note(style.dim("limbeck explain NAME tells all about one."));
  },
});
