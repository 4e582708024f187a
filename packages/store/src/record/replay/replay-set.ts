/**
 * Sessions as tasks that can be tried again. A session on a repository becomes its state when the session began, with the test
 * command that the session ended on; a question becomes its answer. What cannot be checked again is left out, with the reason.
 */
import { execFile } from "node:child_process";

import { isAbsolute } from "node:path";
import { promisify } from "node:util";
import { statIfThere } from "limbeck-base/base/files";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { textOf } from "../../store/formats/chat-steps.ts";
import type { Message, Trajectory } from "limbeck-base/trajectory/trajectory";
import { screenSkill } from "limbeck-core/skill/screen/screen";
import { commitOf, isTestCommand } from "../summary/signals.ts";

/** A line of a file of tasks for `limbeck lift --agent`. */
export interface ReplayTask {
  readonly id: string;
  readonly split: "valid";
  readonly goal: string;
  readonly answer?: string;
  readonly repository?: {
    readonly path: string;
    readonly commit: string;
    readonly tests?: { readonly commit: string; readonly files: readonly string[] };
  };
  readonly check?: readonly string[];
  readonly session: string;
}

export interface ReplaySet {
  readonly tasks: readonly ReplayTask[];
  /** Why the others are none, by reason. */
  readonly left: Readonly<Record<string, number>>;
}

export interface ReplayOptions {
  /** Sessions that skills were learnt from, by id: they prove nothing. */
  readonly learntFrom?: ReadonlySet<string>;
  /** Whether requests with one short answer, which was right, become questions. Default: true. */
  readonly questions?: boolean;
}

const LONGEST_GOAL = 4_000;
const LONGEST_ANSWER = 80;

export async function replaySet(
  trajectories: readonly Trajectory[],
  { learntFrom = new Set(), questions = true }: ReplayOptions = {},
): Promise<ReplaySet> {
  const seen = new Set(trajectories.filter(({ id }) => learntFrom.has(id)).map(({ task }) => task.id));
  const tasks: ReplayTask[] = [];
  const left: Record<string, number> = {};
  for (const trajectory of trajectories) {
    const found = learntFrom.has(trajectory.id)
      ? "skills were learnt from it"
      : seen.has(trajectory.task.id)
        ? "the same request is there already"
        : await taskOf(trajectory, questions);
    if (typeof found === "string") left[found] = (left[found] ?? 0) + 1;
    else {
      seen.add(trajectory.task.id);
      tasks.push(found);
    }
  }
  return { tasks, left };
}

async function taskOf(trajectory: Trajectory, questions: boolean): Promise<ReplayTask | string> {
  const { id, task, parent, info } = trajectory;
  const session = info?.["session"];
  const facts = isObject(session) ? session : {};
  if (parent !== undefined || facts["subagentOf"] !== undefined) return "it is part of another session";
  const goal = task.goal.trim();
  if (goal === "" || goal.length > LONGEST_GOAL) return "its request is empty or very long";
  if (screenSkill(goal).length > 0) return "its request wants what no task is about";
  const base = { id, split: "valid", goal, session: id } as const;
  const work = workOf(trajectory);
  if (work.check !== undefined) {
    const state = await stateOf(trajectory, facts, work.commit);
    return typeof state === "string" ? state : { ...base, repository: state, check: work.check };
  }
  const answer = questions ? answerOf(trajectory) : undefined;
  return answer === undefined ? "it ran no tests, and has no answer that was said to be right" : { ...base, answer };
}

/** The last plain test command that was run, and the last commit. */
function workOf({ steps, closing }: Trajectory): { readonly check?: readonly string[]; readonly commit?: string } {
  const messages = [...steps.flatMap((step) => step.messages ?? []), ...(closing?.messages ?? [])];
  const results = new Map<string, Message>();
  for (const message of messages) if (message.toolCallId !== undefined) results.set(message.toolCallId, message);
  let check: readonly string[] | undefined;
  let commit: string | undefined;
  for (const { id, arguments: given } of steps.flatMap((step) => step.reply?.toolCalls ?? [])) {
    const command = typeof given === "string" ? undefined : (given["command"] ?? given["cmd"]);
    const line = Array.isArray(command) ? command.at(-1) : command;
    const result = results.get(id);
    if (typeof line !== "string" || result === undefined) continue;
    check = testWords(line) ?? check;
    const made = commitOf(line, result);
    if (made !== undefined && made !== "") commit = made;
  }
  return { ...(check === undefined ? {} : { check }), ...(commit === undefined ? {} : { commit }) };
}

/**
 * The words of a test command, where no shell is needed to understand it. `cd` into the folder before it and what only shortens
 * the output behind it are left out.
 */
export function testWords(line: string): readonly string[] | undefined {
  const parts = line
    .replaceAll(/\s2>&1\b/g, " ")
    .replaceAll(/\s\|\s*(?:tail|head|cat|grep)\b[^|;&]*/g, " ")
    .split(/&&|;|\n/)
    .map((part) => part.trim());
  const test = parts.findLast((part) => isTestCommand(part));
  if (test === undefined || /[`$<>|&(){}*?!\\"'#~]/.test(test)) return undefined;
  const words = test.split(/\s+/).filter((word) => word !== "");
  return words.length === 0 || words.length > 40 || (words[0] ?? "").includes("=") ? undefined : words;
}

async function stateOf(
  { timing }: Trajectory,
  facts: JsonObject,
  made: string | undefined,
): Promise<NonNullable<ReplayTask["repository"]> | string> {
  const cwd = facts["cwd"];
  if (typeof cwd !== "string" || !isAbsolute(cwd)) return "it names no folder";
  const about = await statIfThere(cwd);
  if (about?.isDirectory() !== true) return "its folder is gone";
  const path = (await git(cwd, ["rev-parse", "--show-toplevel"]))?.trim();
  if (path === undefined || path === "") return "its folder is no git repository";
  if (made !== undefined) {
    const done = (await git(path, ["rev-parse", "--verify", "--quiet", `${made}^{commit}`]))?.trim();
    const parent =
      done === undefined ? undefined : (await git(path, ["rev-parse", "--verify", "--quiet", `${done}^`]))?.trim();
    if (done === undefined || parent === undefined) return "its commit is no longer there";
    const changed = (await git(path, ["diff", "--name-only", "--diff-filter=AM", "-z", parent, done])) ?? "";
    const files = changed.split("\0").filter((file) => isTestFile(file));
    return { path, commit: parent, ...(files.length === 0 ? {} : { tests: { commit: done, files } }) };
  }
  const started = timing?.startedAt;
  if (started === undefined || Number.isNaN(Date.parse(started))) return "nobody knows when it began";
  const commit = (await git(path, ["rev-list", "-1", `--before=${new Date(started).toISOString()}`, "HEAD"]))?.trim();
  return commit === undefined || commit === "" ? "its repository is younger than it" : { path, commit };
}

function isTestFile(path: string): boolean {
  return (
    /(?:^|\/)(?:tests?|__tests__|spec)\//.test(path) || /(?:[._-](?:test|spec)\.\w+|(?:^|\/)test_[^/]+)$/.test(path)
  );
}

/** The last words of a session that was marked as right, where they are short enough to be compared. */
function answerOf({ success, steps }: Trajectory): string | undefined {
  if (success !== true) return undefined;
  const reply = steps.at(-1)?.reply;
  if (reply === undefined || (reply.toolCalls ?? []).length > 0) return undefined;
  const answer = textOf(reply.content).trim();
  return answer === "" || answer.length > LONGEST_ANSWER || answer.includes("\n") ? undefined : answer;
}

const run = promisify(execFile);

/** Undefined where git says no. */
async function git(folder: string, words: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run("git", ["-C", folder, ...words], { timeout: 30_000, maxBuffer: 16_000_000 });
    return stdout;
  } catch {
    return undefined;
  }
}
