/** `limbeck demo`: what `npm start` runs. An agent fails, learns from its own hindsight, and is shown again. */
import type { Command } from "../command.ts";

export const demo: Command = {
  group: "start",
  summary: "Watch an agent learn from its own hindsight, in about five minutes",
  usage: "[--seed N] [--steps N] [--compare] [--dir DIR]",
  description:
    "Opens the bundled model, shows it failing a household errand, trains it with OPID on tasks of the same world, prints success on held-out tasks before and after, the skills that changed its mind most, and the same errand again. A report that a browser opens is written beside the run.\n" +
    "Needs no GPU, no key and no network. With --compare a second run follows, with the same tasks, seed and budget but without the teacher, and the report shows both.",
  options: {
    seed: { type: "string", value: "N", summary: "Tasks and draws; 1 unless told" },
    steps: { type: "string", value: "N", summary: "Updates; 20 unless told" },
    set: { type: "string", value: "KEY=VALUE", multiple: true, summary: "A setting of the recipe; see limbeck train" },
    "report-tasks": { type: "string", value: "N", summary: "Held-out errands before and after; 200 unless told" },
    compare: { type: "boolean", summary: "Also train without the teacher, at equal budget" },
    dir: { type: "string", value: "DIR", summary: "Folder of the run; a new one in the store unless told" },
    model: { type: "string", value: "DIR", summary: "Model to start from; the bundled one unless told" },
    threads: { type: "string", value: "N", summary: "Threads of the engine; its own choice unless told" },
  },
  examples: ["limbeck demo", "limbeck demo --seed 2 --compare"],
  jsonFields: {
    event: '"start", "before", "update", "validation", "notice", "after" of each run; the last line has none',
    "*": "the fields of limbeck train",
    before: "last line: success, low, high, tasks, failed and causes before training",
    after: "last line: the same after it",
    compared: "last line, with --compare: before and after of the run without the teacher",
    seconds: "last line: of the whole run",
    environmentSteps: "last line: steps of training episodes",
    tokens: "last line: sampled tokens of training episodes",
    reason: "last line: finished or early-stop",
    run: "last line: folder of the run",
    report: "last line: the report; null where it could not be written",
    studio: "last line: what to type to look at the run in a web page",
  },
  natives: ["duckdb", "onnxruntime"],
  run: async (invocation) => (await import("../demo/run-demo.ts")).runDemo(invocation),
};
