/** What `limbeck traces` takes and says. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { readInputs } from "../store/read.inputs.ts";
import type { Summary } from "./summary/summary.ts";

/** "none" where there is no outcome yet. */
const OUTCOMES = ["success", "failure", "none"] as const;

export const traceInputs = {
  what: input.choice("WHAT", "Default: the traces themselves", ["summary"], { at: 0 }),
  ...readInputs,
  task: input.text("ID", "Only this task"),
  agent: input.text("NAME", "Only this agent"),
  model: input.text("NAME", "Only this model"),
  since: input.text("TIME|DATE", "Only those that began since then: 2h, 3d or 2026-11-15"),
  outcome: input.choice("WHAT", "Only success, failure or none", OUTCOMES),
  errors: input.flag("Only those in which a call failed"),
  all: input.flag("Also what the engine itself rolled out"),
  prices: input.path("FILE", "JSON with prices, for calls whose cost nobody recorded"),
  limit: input.count("NUMBER", "Show at most so many. Default: 50", { least: 0 }),
} as const;

export const traceLine = {
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
} as const;

const LOST = "sessions that failed by it";
const WON = "sessions that succeeded by it";
const SESSIONS = "how many sessions";

export const traceEvents = {
  total: {
    event: "on the last line, which sums up all that match",
    trajectories: "how many match",
    steps: "of all",
    promptTokens: "of all",
    completionTokens: "of all",
    costUsd: "of all",
    withErrors: "how many of them have errors",
    withoutOutcome: "how many nobody has judged",
    unpriced: "how many have no known cost",
  },
  outcome: { evidence: "feedback, tests, commits or next message", failures: LOST, successes: WON },
  loop: { id: "id of the session", call: "the call that gave the same again and again", times: "how often" },
  tool: {
    tool: "its name",
    calls: "how often it was called",
    errors: "calls that failed",
    refused: "calls that a person or a rule refused",
  },
  kind: {
    kind: "fix, test, review, refactor, docs, build, question or other, by the words of the request; or the world",
    sessions: SESSIONS,
    failures: LOST,
    successes: WON,
    steps: "of all",
    tokens: "tokens read and written",
    costUsd: "of all",
    unpriced: "how many have no known cost",
  },
  parting: {
    task: "id of the task",
    goal: "the request",
    sessions: SESSIONS,
    step: "the first step at which the sessions differ",
    ways: "what they do there, each with action, sessions, success and failure",
  },
  summary: {
    event: "on the last line of summary",
    sessions: SESSIONS,
    parts: "sub-agents and branches, counted in tools and costs",
    unknown: "sessions without any evidence",
    wordsCheck:
      "how often the person's words agreed with better evidence: agreed, of, low and high of the 95% interval; null where nothing can be compared",
  },
} as const;

export interface Trace {
  readonly run: string;
  readonly id: string;
  readonly task: string;
  readonly agent: string;
  readonly model: string | null;
  readonly startedAt: string | null;
  readonly durationMs: number | null;
  readonly steps: number;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly costUsd: number | null;
  readonly ending: string;
  /** Calls that failed or broke off. */
  readonly errors: number;
  readonly failure: string | null;
  readonly success: boolean | null;
  readonly score: number | null;
  /** Other runs that hold the same id; counted here once. */
  readonly alsoIn: number;
}

export type Total = Readonly<Record<Exclude<keyof typeof traceEvents.total, "event">, number>>;

/** `root` is the place of the store. */
export interface TraceShows {
  readonly traces: (found: readonly Trace[], limit: number, total: Total, root: string) => void;
  readonly summary: (summary: Summary, limit: number, root: string) => void;
}

export type TraceInput = Input<typeof traceInputs>;
export type TraceContext = Context<EventOf<typeof traceEvents, typeof traceLine>, TraceShows>;
