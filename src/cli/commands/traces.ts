/** `limbeck traces`: what was recorded, what it cost, what failed, and what nobody has judged yet. */
import type { Command } from "../command.ts";
import { OUTCOMES } from "../traces/outcome-words.ts";
import { readOptions } from "../with-store.ts";
import { flag, text } from "../options.ts";

export const traces: Command = {
  group: "look",
  summary: "What was recorded: filters, cost, errors, missing outcomes",
  usage: "[--task ID] [--agent NAME] [--model NAME] [--since TIME] [--outcome WHAT] [--errors]",
  description:
    "Recorded and imported trajectories, newest first. A trajectory that is stored in several runs under one id is\n" +
    'counted once. "limbeck show ID" reads one of them, "limbeck feedback ID" says how it went.',
  options: {
    ...readOptions,
    task: text("ID", "Only this task"),
    agent: text("NAME", "Only this agent"),
    model: text("NAME", "Only this model"),
    since: text("TIME", "Only those that began since then: 2h, 3d or 2026-11-15"),
    outcome: text("WHAT", "Only success, failure or none", () => OUTCOMES),
    errors: flag("Only those in which a call failed"),
    all: flag("Also what the engine itself rolled out"),
    prices: text("FILE", "JSON with prices, for calls whose cost nobody recorded"),
    limit: text("NUMBER", "Show at most so many. Default: 50"),
  },
  examples: ["limbeck traces", "limbeck traces --since 1d --errors", "limbeck traces --outcome none --json"],
  jsonFields: {
    event: '"total" on the last line, which sums up all that match',
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
    unpriced: "in the total: how many have no known cost",
  },
  natives: ["duckdb"],
  run: async (invocation) => (await import("../traces/show-traces.ts")).showTraces(invocation),
};
