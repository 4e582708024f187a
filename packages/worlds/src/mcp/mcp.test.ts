import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createNotesServer } from "../../../../test/support/notes-server.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { envContract } from "limbeck-core/env/env.contract";
import type { Env } from "limbeck-core/env/env";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { createMcpWorld, type McpWorldOptions } from "./mcp-world.ts";
import { readTasks } from "./task-file.ts";

const newFolder = temporaryFolders();
const ADD = callAction("add_note", { text: "milk" });
const READ = callAction("read_notes", {});

async function connect() {
  const [client, wire] = InMemoryTransport.createLinkedPair();
  await createNotesServer().connect(wire);
  return client;
}

async function taskFile(...lines: unknown[]): Promise<string> {
  const path = join(await newFolder(), "tasks.jsonl");
  await writeFile(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return path;
}

async function worldOf(check: object, options: Partial<McpWorldOptions> = {}): Promise<{ env: Env; task: Task }> {
  const tasks = await readTasks(await taskFile({ goal: "Note that milk is needed.", check }), "mcp");
  const env = createMcpWorld({ connect, tasks, ...options });
  const [task] = env.tasks("train") as readonly Task[];
  return { env, task: task! };
}

async function played(check: object, ...actions: string[]) {
  const { env, task } = await worldOf(check, { maxSteps: 3 });
  const episode = await env.open(task);
  for (const action of actions) await episode.step(action);
  await episode.close();
  return [episode.ending, episode.reward, episode.success];
}

describe("the check of a task", () => {
  const won = ["terminated", scored(1), true];
  const not = ["terminated", scored(0), false];
  test("answer: one of these texts, whatever the capitals and the full stop", async () => {
    expect(await played({ answer: ["done", "ready"] }, "Ready.")).toEqual(won);
    expect(await played({ answer: "done" }, "I am done")).toEqual(not);
  });
  test("mentions: every one of them stands in the answer", async () => {
    expect(await played({ mentions: ["milk", "1"] }, "There is 1 note: Milk")).toEqual(won);
    expect(await played({ mentions: ["milk", "1"] }, "There is a note: milk")).toEqual(not);
  });
  test("calls: the writes that succeeded; reads and refused calls do not count", async () => {
    const calls = [{ name: "add_note", arguments: { text: "milk" } }];
    expect(await played({ calls }, ADD, READ, "done")).toEqual(won);
    expect(await played({ calls }, callAction("add_note", { text: "x" }), ADD, "done")).toEqual(won);
    expect(await played({ calls }, ADD, ADD, "done")).toEqual(not);
  });
  test("state: a tool is asked in the end, and no episode sees the notes of another", async () => {
    const state = { name: "read_notes", contains: "milk" };
    expect(await played({ state }, ADD, "done")).toEqual(won);
    expect(await played({ state }, READ, "done")).toEqual(not);
  });
  test("steps that run out are a failure, and no answer is checked", async () => {
    expect(await played({ mentions: "milk" }, ADD, READ, READ)).toEqual(["truncated", scored(0), false]);
  });
});

test("a lost server ends the episode without a reward", async () => {
  const { env, task } = await worldOf({ answer: "done" }, { timeoutMs: 5_000 });
  const episode = await env.open(task);
  const { ending, reward, success } = await episode.step(callAction("crash", {}));
  expect([ending, reward.kind, success]).toEqual(["failed", "unscored", null]);
  expect(episode.failure?.code).toBe("server-lost");
});

test("a copy is refused, because a repeated payment is a second payment", async () => {
  const { env, task } = await worldOf({ answer: "done" });
  await expect((await env.open(task)).fork()).rejects.toMatchObject({ code: "cannot-fork" });
});

envContract({
  name: "mcp",
  env: async () => (await worldOf({ answer: "done" }, { replayable: true, maxSteps: 6 })).env,
  runner: { describe, test },
  candidates: () => [ADD, READ, "done"],
  invalidActions: ["", "{", callAction("add_note", { text: "x" }), callAction("nothing", {})],
  runs: 4,
  maxActions: 6,
});

describe("the file of tasks", () => {
  const refused = async (...lines: unknown[]): Promise<string> =>
    await readTasks(await taskFile(...lines), "mcp").then(
      () => "",
      (error: unknown) => (error as Error).message,
    );
  test("a line that is no task is named, with what it lacks", async () => {
    expect(await refused({ goal: "a", check: { answer: "b" } }, "", { goal: "a" })).toContain("line 3 is no task");
    expect(await refused("nonsense")).toContain('A task is {"goal": "…", "check"');
    expect(await refused({ goal: "a", check: {} })).toContain("at least one of answer, mentions, calls, state");
    expect(await refused({ goal: "a", check: { anwser: "b" } })).toContain("anwser");
    const twice = { id: "x", goal: "a", check: { answer: "b" } };
    expect(await refused(twice, twice)).toContain('line 2: the id "x" is there twice');
    expect(await refused()).toContain("holds no task");
  });
});
