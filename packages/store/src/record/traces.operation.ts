/** `limbeck traces`: what was recorded, what it cost, what failed, and what has no outcome yet. */
import { defineOperation } from "limbeck-base/base/operation";
import { traceEvents, traceInputs, traceLine, type TraceShows } from "./traces.inputs.ts";

/** Lists what was recorded, or sums up what happened. */
export const listTraces = defineOperation({
  name: "traces",
  group: "look",
  summary: "What was recorded: filters, cost, errors, missing outcomes",
  usage: "[summary] [--task ID] [--agent NAME] [--model NAME] [--since TIME|DATE] [--outcome WHAT] [--errors]",
  description:
    "Recorded and imported trajectories, newest first. A trajectory that is stored in several runs under one id is\n" +
    'counted once. "limbeck show ID" reads one of them, "limbeck feedback ID" says how it went.\n' +
    "summary says what happened in all that match: outcomes by the strongest evidence there is (feedback, the last test run, commits that stayed, the person's next message, which is a guess), loops, refused calls and errors by tool, cost by kind of task, and where sessions of one task part ways.",
  input: traceInputs,
  examples: [
    "limbeck traces",
    "limbeck traces summary --since 7d",
    "limbeck traces --since 1d --errors",
    "limbeck traces --outcome none --json",
  ],
  line: traceLine,
  lineIs: "session",
  events: traceEvents,
  shows: undefined as TraceShows | undefined,
  run: async (given, context) => await (await import("./read-traces.ts")).readTraces(given, context),
});
