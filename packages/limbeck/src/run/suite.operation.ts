/** `limbeck suite`: what a policy answers to a frozen set of tasks. */
import { defineOperation } from "limbeck-base/base/operation";
import { speechSections } from "./speech.inputs.ts";
import { suiteEvents, suiteInputs, suiteReportFacts, type SuiteShows } from "./suite.inputs.ts";

/**
 * Asks a policy the tasks of a suite, and says whether accuracy is at least `least`.
 *
 * @example
 * console.log(await askSuite({ suite: "small-worlds", policy: "perfect", tasks: 1, least: 0.9 })); // true
 */
export const askSuite = defineOperation({
  name: "suite",
  group: "learn",
  summary: "Ask a policy a frozen set of tasks: accuracy with intervals, by bucket, and what it cost",
  usage: "[NAME|FILE] --policy NAME|DIR [--data DIR] [--least X] [--out FILE]",
  description:
    "A suite asks every policy the same: tasks of worlds and questions, graders that judge them, and the tags by which the report is cut. Two runs of a policy that draws by its seed agree on the report to the bit; how long it took stands apart. docs/learn/suites.md shows how to write one.\n" +
    'Public sets (gsm8k, bfcl, alfworld, humaneval, mbpp) lie in a folder that --data names. Every suite has bounds: --policy perfect gives its own answers, "empty" none, and random takes any listed action.\n' +
    "humaneval and mbpp are judged by running what the policy wrote, which needs --run-code: each program has limits on time and memory, but it is no sandbox.",
  input: suiteInputs,
  rules: [
    { never: ["policy", "model"], say: "--policy and --model both name who is asked." },
    { only: ["python"], with: "runCode", say: "belongs to --run-code." },
  ],
  sections: {
    "Usual options": ["policy", "model", "data", "tasks", "samples", "least", "out"],
    "What it may do": ["judge", "run-code", "python", "allow-commands", "allow-addresses"],
    ...speechSections,
    "How it answers": speechSections["How it answers"].filter((flag) => flag !== "max-steps"),
  },
  examples: [
    "limbeck suite",
    "limbeck suite small-worlds --policy bundled --least 0.5",
    "limbeck suite gsm8k --data sets/gsm8k --policy chat --tasks 100 --out gsm8k.md",
    "limbeck suite own.yaml --policy ./agent.ts --json",
  ],
  events: suiteEvents,
  line: suiteReportFacts,
  shows: undefined as SuiteShows | undefined,
  run: async (given, context): Promise<boolean> => await (await import("./play-suite.ts")).playSuite(given, context),
});
