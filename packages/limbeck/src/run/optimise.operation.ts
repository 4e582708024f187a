/** `limbeck optimise`: one skill's text made better behind the gate, into a git branch. */
import { defineOperation } from "limbeck-base/base/operation";
import { programInputs } from "limbeck-worlds/agent/program.inputs";
import { optimiseEvents, optimiseInputs } from "./optimise.inputs.ts";
import { speechSections } from "./speech.inputs.ts";

export const optimiseOperation = defineOperation({
  name: "optimise",
  group: "learn",
  summary: "Edit one skill by what failed, keep what held-out pairs prove, end in a git branch",
  usage: "NAME (--env ID | --dataset FILE | --run ID) (--policy NAME|DIR | --agent COMMAND) [options]",
  description:
    "Each round tries the skill on some tasks, lets a proposer edit its text by what failed, and plays the held-out tasks with the text before and after. Only an edit that these pairs prove is kept; the others go into a buffer that the next proposals see. Nothing is installed and no file of the library's skills is changed: a better text ends as a commit on a branch of its own, with its evidence, for a person to merge and for limbeck lift to prove.\n" +
    "For a nightly run: --run ID takes the newest stored sessions as tasks, --budget bounds the night, --yes asks nothing. Rounds are counted in .lift of the library over all nights, and so is the chance of taking an edit that is no better: at most 2.5 of 100 skills, however many nights.",
  examples: [
    'limbeck optimise heat-food --agent "node agent.mjs {prompt}" --dataset questions.jsonl --budget runs=2000',
    "limbeck optimise heat-food --dataset questions.jsonl --policy chat --proposer rules --lines ideas.txt --yes",
  ],
  input: optimiseInputs,
  sections: {
    "Usual options": ["dataset", "agent", "policy", "budget", "branch"],
    "What is played": ["library", "env", "run", "tasks", "yes"],
    "The search": ["proposer", "lines", "rounds", "edits", "gate", "seed"],
    "What is right": ["check", "decide", "judge", "verdicts", "own-outcome"],
    "The agent's program": Object.keys(programInputs()).filter((name) => name !== "check"),
    ...speechSections,
  },
  events: optimiseEvents,
  run: async (given, context) => await (await import("./optimise-skill.ts")).optimiseInBranch(given, context),
});
