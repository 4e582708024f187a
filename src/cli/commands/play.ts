/** `limbeck play`: step through an environment, by hand or from a file of commands. */
import type { Command } from "../command.ts";
import { worldOption } from "../play/world-options.ts";
import { speechOptions, speechSections } from "../rollout/agent-options.ts";
import { searchNames } from "../methods/method-names.ts";
import { searchOptions } from "../search/search-options.ts";
import { modelNatives } from "../natives.ts";
import { text } from "../options.ts";

export const play: Command = {
  group: "start",
  summary: "Step through an environment, by hand or from a file",
  usage:
    "--env ID [--game FILE | --root DIR] [--split NAME] [--task N] [--commands FILE] [--search METHOD --policy NAME]",
  description:
    "By hand, a number or any text acts, undo takes a step back, hint asks the world's expert and quit ends. With --commands, or without a terminal, the commands come from a file or from standard input, one a line, until they or the episode end; undo, hint and quit mean the same there, except with --json.",
  options: {
    ...worldOption,
    game: text("FILE", "One game file (alfworld)"),
    root: text("DIR", "A folder of games (alfworld)"),
    split: text("NAME", "Split to take the task from. Default: the first"),
    task: text("N", "Which task of the split, from 0. Default: 0"),
    commands: text("FILE", "Commands to carry out; - reads standard input"),
    search: text(
      "METHOD",
      "By hand: the word search lets this search of --policy propose an action; you decide",
      searchNames,
    ),
    policy: text("NAME|DIR", "With --search: a model folder, bundled, chat, or a script"),
    ...searchOptions,
    ...speechOptions,
  },
  sections: {
    "Usual options": ["env", "set", "split", "task", "commands"],
    "Games in files": ["game", "root"],
    "A search that proposes": ["search", "policy", ...Object.keys(searchOptions)],
    ...speechSections,
  },
  examples: [
    "limbeck play --env household",
    "limbeck play --env alfworld --game game.tw-pddl --commands walkthrough.txt --json",
    "limbeck play --env countdown --split valid --task 3",
    "limbeck play --env household --set dial=tiny --search mcts --policy bundled --search-budget modelCalls=200",
  ],
  jsonFields: {
    step: "0 for the opening, then counted up",
    action: "what was done; null for the opening",
    observation: "what is seen now",
    admissible: "every action that is accepted now; null where actions are free text",
    reward: "reward of this step; null when it is not known",
    done: "whether the episode has ended",
    ending: "terminated, truncated or failed; null while it goes on",
    success: "true or false; null when the world gave no verdict",
    valid: "whether the action was possible",
  },
  natives: (words) => (words.text("search") === undefined ? [] : modelNatives(words, ["policy"])),
  run: async (invocation) => (await import("../play/run-play.ts")).runPlay(invocation),
};
