/** `limbeck play`: step through an environment, by hand or from a file of commands. */
import { speechSections } from "../../run/speech.inputs.ts";
import { defineCommand } from "../command-of.ts";
import { playInputs, playLine } from "../play/play.inputs.ts";

export const play = defineCommand({
  group: "start",
  summary: "Step through an environment, by hand or from a file",
  usage:
    "--env ID [--game FILE | --root DIR] [--split NAME] [--task N] [--commands FILE] [--search METHOD --policy NAME]",
  description:
    "By hand, a number or any text acts, undo takes a step back, hint asks the world's expert and quit ends. With --commands, or without a terminal, the commands come from a file or from standard input, one a line, until they or the episode end; undo, hint and quit mean the same there, except with --json.",
  input: playInputs,
  sections: {
    "Usual options": ["env", "set", "split", "task", "commands"],
    "Games in files": ["game", "root"],
    "A search that proposes": [
      "search",
      "policy",
      "search-set",
      "search-budget",
      "value",
      "value-set",
      "scorer",
      "prices",
      "ask",
      "blind",
    ],
    ...speechSections,
  },
  examples: [
    "limbeck play --env household",
    "limbeck play --env alfworld --game game.tw-pddl --commands walkthrough.txt --json",
    "limbeck play --env countdown --split valid --task 3",
    "limbeck play --env household --set dial=tiny --search mcts --policy bundled --search-budget modelCalls=200",
  ],
  line: playLine,
  natives: (given, parts) => (given("search") === undefined ? [] : parts),
  run: async (given, frame) => await (await import("../play/run-play.ts")).runPlay(given, frame),
});
