import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { checkStoredOptions } from "limbeck-core/env/stored-options";
import { callAction } from "limbeck-base/trajectory/tool-action";
import { mcp } from "./index.ts";

const newFolder = temporaryFolders();
const ADD = callAction("add_note", { text: "milk" });
const READ = callAction("read_notes", {});

async function taskFile(...lines: unknown[]): Promise<string> {
  const path = join(await newFolder(), "tasks.jsonl");
  await writeFile(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
  return path;
}

describe("from the command line", () => {
  const program = fileURLToPath(new URL("../../../../test/support/notes-server.ts", import.meta.url));
  const server = { command: process.execPath, args: ["--import", "tsx", program] };
  test("a real program is started for each episode: that is the reset", async () => {
    const check = { state: { name: "read_notes", contains: "nothing" } };
    const tasks = await taskFile({ goal: "Leave it as it is.", split: "test", check });
    const env = await mcp.create({ ...server, tasks });
    expect(env.splits).toEqual({ test: 1 });
    const [task] = env.tasks("test") as readonly Task[];
    const first = await env.open(task!);
    expect((await first.step(ADD)).observation).toBe("Tool add_note: 1 notes");
    await first.close();
    const second = await env.open(task!);
    expect((await second.step(READ)).observation).toBe("Tool read_notes: nothing");
    expect((await second.step("done")).success).toBe(true);
    await second.close();
  });
  test("what is missing is named", async () => {
    await expect(mcp.create({ tasks: "x.jsonl" })).rejects.toThrow("command=PROGRAM");
    await expect(mcp.create({ command: "x" })).rejects.toThrow("tasks=FILE.jsonl");
    await expect(mcp.create({ command: "x", tasks: "nowhere.jsonl" })).rejects.toThrow('"nowhere.jsonl" is not there');
  });
  test("a program that stands in a stored run is not started", () => {
    const stored = { id: "mcp", world: mcp, source: 'The run "a"', allowed: {}, command: "limbeck studio" };
    expect(() => checkStoredOptions({ ...stored, options: { ...server, tasks: "x" } })).toThrow("--allow-commands");
  });
});
