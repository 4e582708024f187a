/** `limbeck demo`: what `npm start` runs. An agent fails, learns from its own hindsight, and is shown again. */
import { defineCommand } from "../command-of.ts";
import { demoInputs } from "../demo/demo.inputs.ts";

export const demo = defineCommand({
  group: "start",
  summary: "Watch an agent learn from its own hindsight, in two to three minutes",
  usage: "[--quick] [--seed N] [--steps N] [--compare] [--dir DIR]",
  description:
    "Shows what a recorded run came to, and says so. Then everything is live: opens the bundled model, shows it failing a household errand, trains it with OPID on tasks of the same world, prints success on held-out tasks before, after the fifth update and after the last, the skills that changed its mind most, and the same errand again. A report that a browser opens is written beside the run.\n" +
    "Needs no GPU, no key and no network. With --compare a second run follows, with the same tasks, seed and budget but without the teacher, and the report shows both.",
  input: demoInputs,
  examples: ["limbeck demo", "limbeck demo --quick", "limbeck demo --seed 2 --compare"],
  events: { start: {}, before: {}, update: {}, midway: {}, notice: {}, after: { event: "of each run" } },
  line: {
    "*": "the fields of limbeck train",
    before: "success, low, high, tasks, failed and causes before training",
    after: "the same after it",
    compared: "with --compare: before and after of the run without the teacher",
    seconds: "of the whole run",
    environmentSteps: "steps of training episodes",
    tokens: "sampled tokens of training episodes",
    reason: "finished, early-stop, or stopped by the brake",
    digest: "SHA-256 of the parameters",
    run: "folder of the run",
    report: "the report; null where it could not be written",
    studio: "what to type to look at the run in a web page",
  },
  natives: () => ["duckdb", "onnxruntime"],
  run: async (given, frame) => await (await import("../demo/run-demo.ts")).runDemo(given, frame),
});
