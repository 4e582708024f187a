/** `limbeck methods`: every method, what it means and what it needs. */
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { tableLines } from "../look/table.ts";
import { plural } from "../look/units.ts";
import { allMethods, type Method } from "../methods/all-methods.ts";

const ROOMS: readonly Method["room"][] = ["rollout", "search", "reward", "credit", "train"];

export const methods: Command = {
  group: "look",
  summary: "List every method and what it needs",
  usage: "[--room R]",
  description:
    "Strategies (rollout) decide which episodes are walked, searches spend more compute on one task, rewards judge them, credit methods turn rewards into advantages, objectives (train) turn advantages into gradients.",
  options: {
    room: { type: "string", value: "R", summary: "Only methods of this room", choices: () => ROOMS },
  },
  examples: ["limbeck methods", "limbeck methods --room credit --json"],
  jsonFields: {
    id: "name of the method",
    room: "rollout, search, reward, credit or train",
    title: "name in print",
    paper: "where it was published",
    confidence: "what the formula follows: code, paper, inferred or practice",
    needs: "what it cannot do without: fields of the batch, or what a reward is given",
    mayNeed: "fields it needs sometimes, and when",
    meaning: "one sentence",
  },
  run: async (invocation) => {
    const room = invocation.text("room");
    const shown = allMethods().filter((method) => (room ?? method.room) === method.room);
    if (invocation.json) {
      for (const { id, room: own, title, paper, confidence, needs, mayNeed, meaning } of shown) {
        invocation.printJson({ id, room: own, title, paper, confidence, needs, mayNeed, meaning });
      }
      return EXIT.done;
    }
    const { style, io } = invocation;
    const lines = tableLines(
      [
        { title: "method", paint: style.bold },
        { title: "room", paint: style.cyan },
        { title: "from" },
        { title: "needs" },
        { title: "meaning" },
        { title: "paper", paint: style.dim },
      ],
      shown.map((method) => [
        method.id,
        method.room,
        method.confidence,
        method.needs.join(", ") || "-",
        method.meaning,
        method.paper,
      ]),
      { style, width: io.terminal.out ? io.terminal.columns : 200 },
    );
    for (const line of lines) invocation.print(line);
    invocation.print();
    const from = (confidence: Method["confidence"]): number =>
      shown.filter((method) => method.confidence === confidence).length;
    invocation.print(
      `${plural(shown.length, "method")}: ${from("code")} follow published code, ${from("paper")} a paper, ${from("inferred")} an abstract, ${from("practice")} common practice`,
    );
    invocation.note(style.dim("limbeck explain NAME tells all about one."));
    return EXIT.done;
  },
};
