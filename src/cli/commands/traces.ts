/** `limbeck traces`: what was recorded, what it cost, what failed, and what nobody has judged yet. */
import type { Command } from "../command.ts";
import { OUTCOMES } from "../traces/outcome-words.ts";
import { readOptions } from "../with-store.ts";
import { flag, text } from "../options.ts";

export const traces: Command = {
  group: "look",
  summary: "What was recorded: filters, cost, errors, missing outcomes",
  usage: "[summary] [--task ID] [--agent NAME] [--model NAME] [--since TIME|DATE] [--outcome WHAT] [--errors]",
  description:
    "Recorded and imported trajectories, newest first. A trajectory that is stored in several runs under one id is\n" +
    'counted once. "limbeck show ID" reads one of them, "limbeck feedback ID" says how it went.\n' +
    "summary says what happened in all that match: outcomes by the strongest evidence there is (feedback, the last test run, commits that stayed, the person's next message, which is a guess), loops, refused calls and errors by tool, cost by kind of task, and where sessions of one task part ways.",
  arity: [0, 1],
  subcommands: { summary: "What happened: outcomes, loops, refusals, errors by tool, cost by kind of task" },
  options: {
    ...readOptions,
    task: text("ID", "Only this task"),
    agent: text("NAME", "Only this agent"),
    model: text("NAME", "Only this model"),
    since: text("TIME|DATE", "Only those that began since then: 2h, 3d or 2026-11-15"),
    outcome: text("WHAT", "Only success, failure or none", () => OUTCOMES),
    errors: flag("Only those in which a call failed"),
    all: flag("Also what the engine itself rolled out"),
    prices: text("FILE", "JSON with prices, for calls whose cost nobody recorded"),
    limit: text("NUMBER", "Show at most so many. Default: 50"),
  },
  examples: [
    "limbeck traces",
    "limbeck traces summary --since 7d",
    "limbeck traces --since 1d --errors",
    "limbeck traces --outcome none --json",
  ],
  jsonFields: {
    event:
      '"total" on the last line, which sums up all that match; of summary "outcome", "loop", "tool", "kind", "parting", and "summary" on the last line',
    run: "run that holds it",
    id: "id of the trajectory",
    task: "id of the task",
    agent: "name of the agent",
    model: "name of the model",
    startedAt: "when, ISO 8601 in UTC",
    durationMs: "how long",
    steps: "answered calls",
    promptTokens: "tokens read",
    completionTokens: "tokens written",
    costUsd: "cost in US dollars, where it is known",
    ending: "terminated, truncated or failed",
    errors: "calls that failed or broke off",
    failure: "code of the failure that ended it",
    success: "true, false or null",
    score: "score, or null",
    alsoIn: "how many other runs hold the same id",
    trajectories: "in the total: how many match",
    withErrors: "in the total: how many of them have errors",
    withoutOutcome: "in the total: how many nobody has judged",
    unpriced: "in the total and by kind: how many have no known cost",
    evidence: "outcome: feedback, tests, commits or next message",
    failures: "outcome, kind: sessions that failed by it",
    successes: "outcome, kind: sessions that succeeded by it",
    call: "loop: the call that gave the same again and again",
    times: "loop: how often",
    tool: "tool: its name",
    calls: "tool: how often it was called",
    refused: "tool: calls that a person or a rule refused",
    kind: "kind: fix, test, review, refactor, docs, build, question or other, by the words of the request; or the world",
    tokens: "kind: tokens read and written",
    goal: "parting: the request",
    step: "parting: the first step at which the sessions differ",
    ways: "parting: what they do there, each with action, sessions, success and failure",
    sessions: "kind, parting, summary: how many sessions",
    parts: "summary: sub-agents and branches, counted in tools and costs",
    unknown: "summary: sessions without any evidence",
    wordsCheck:
      "summary: how often the person's words agreed with better evidence: agreed, of, low and high of the 95% interval; null where nothing can be compared",
  },
  natives: ["duckdb"],
  run: async (invocation) =>
    invocation.positionals[0] === "summary"
      ? (await import("../traces/show-summary.ts")).showSummary(invocation)
      : (await import("../traces/show-traces.ts")).showTraces(invocation),
};
