/** What one session shows, in few words, so that ten thousand of them fit into memory. */
import type { Message, Trajectory, ToolCall } from "limbeck-base/trajectory/trajectory";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import { textOf } from "../../store/formats/chat-steps.ts";
import { shortHash } from "../../store/formats/identity.ts";
import { commitOf, hasFailed, isTestCommand, moodOf, taskKind, testsPassed, undoneBy, wasRefused } from "./signals.ts";

export interface ToolCount {
  calls: number;
  errors: number;
  refused: number;
}

export interface SessionFacts {
  readonly id: string;
  readonly run: string;
  readonly task: string;
  readonly goal: string;
  readonly kind: string;
  /** A sub-agent or a branch: its calls and costs count, its outcome is another's. */
  readonly part: boolean;
  /** The outcome by feedback or a check; null without one. */
  success: boolean | null;
  /** The last test run; undefined where there was none. */
  tests?: boolean;
  readonly commits: string[];
  readonly undone: string[];
  mood?: "pleased" | "displeased";
  steps: number;
  tokens: number;
  readonly tools: Map<string, ToolCount>;
  /** A call that gave the same three times or more, and how often. */
  loop?: { readonly call: string; readonly times: number };
  /** The first actions, for where sessions of one task part ways. */
  readonly path: { readonly key: string; readonly text: string }[];
}

const PATH_STEPS = 40;
const SHOWN = 80;
const LOOP_TIMES = 3;

export function sessionFacts(trajectory: Trajectory, run: string): SessionFacts {
  const { task, info } = trajectory;
  const session = info?.["session"];
  const isAgent = typeof session === "object" && session !== null && "subagentOf" in session;
  const facts: SessionFacts = {
    id: trajectory.id,
    run,
    task: task.id,
    goal: task.goal.slice(0, 200),
    kind: taskKind(task.env, task.goal),
    part: isAgent || (trajectory.parent !== undefined && !/~\d+$/.test(trajectory.id)),
    success: null,
    commits: [],
    undone: [],
    steps: 0,
    tokens: 0,
    tools: new Map(),
    path: [],
  };
  addSteps(facts, trajectory);
  return facts;
}

/** What continued it since: the same session, later steps. */
export function addSteps(facts: SessionFacts, trajectory: Trajectory): void {
  facts.success = outcomeOf(trajectory).success ?? facts.success;
  facts.steps += trajectory.steps.length;
  facts.tokens += (trajectory.usage?.promptTokens ?? 0) + (trajectory.usage?.completionTokens ?? 0);
  const results = new Map<string, Message>();
  const messages = [
    ...trajectory.steps.flatMap((step) => step.messages ?? []),
    ...(trajectory.closing?.messages ?? []),
  ];
  for (const message of messages) if (message.toolCallId !== undefined) results.set(message.toolCallId, message);
  const seen = new Map<string, number>();
  for (const step of trajectory.steps) {
    if (facts.path.length < PATH_STEPS) facts.path.push(pathStep(step.reply, step.action));
    for (const call of step.reply?.toolCalls ?? []) countCall(facts, call, results.get(call.id), seen);
  }
  // Only what a person says after the agent has done something is an answer to it.
  const answers = trajectory.steps.slice(1).flatMap((step) => step.messages ?? []);
  for (const message of [...answers, ...(trajectory.closing?.messages ?? [])]) {
    const mood =
      message.role === "user" && message.extra?.["session"] === undefined
        ? moodOf(textOf(message.content).slice(0, 400))
        : undefined;
    if (mood !== undefined) facts.mood = mood;
  }
}

/** Calls are compared by what they do; words alone by being words, as no two replies are worded alike. */
function pathStep(reply: Message | undefined, action: string): SessionFacts["path"][number] {
  const calls = reply?.toolCalls ?? [];
  if (reply !== undefined && calls.length === 0) return { key: "words", text: "answers in words" };
  const text = calls.length === 0 ? action : calls.map(callText).join("; ");
  return { key: shortHash(text), text: text.slice(0, SHOWN) };
}

/** A command of a shell is the same in every program, whatever the tool is called there. */
function callText({ name, arguments: given }: ToolCall): string {
  if (typeof given === "string") return `${name}(${given})`;
  const command = given["command"] ?? given["cmd"];
  if (typeof command === "string") return `$ ${command}`;
  if (Array.isArray(command)) return `$ ${command.at(-1)}`;
  const main = given["file_path"] ?? given["path"];
  return `${name}(${typeof main === "string" ? main : JSON.stringify(given)})`;
}

function countCall(facts: SessionFacts, call: ToolCall, result: Message | undefined, seen: Map<string, number>): void {
  const count = facts.tools.get(call.name) ?? { calls: 0, errors: 0, refused: 0 };
  facts.tools.set(call.name, count);
  count.calls += 1;
  if (result === undefined) return;
  const refused = wasRefused(result);
  if (refused) count.refused += 1;
  else if (hasFailed(result)) count.errors += 1;
  const text = callText(call);
  // Only what a shell ran: a file that is written may hold such words too.
  const command = text.startsWith("$ ") ? text : "";
  if (isTestCommand(command) && !refused) facts.tests = testsPassed(result);
  const commit = commitOf(command, result);
  if (commit !== undefined) facts.commits.push(commit);
  const undone = hasFailed(result) ? undefined : undoneBy(command);
  if (undone !== undefined) facts.undone.push(undone === "" ? (facts.commits.at(-1) ?? "") : undone);
  const key = shortHash(`${text}\0${textOf(result.content)}`);
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  if (times >= LOOP_TIMES && times > (facts.loop?.times ?? 0)) facts.loop = { call: text.slice(0, SHOWN), times };
}
