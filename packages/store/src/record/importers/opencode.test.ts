import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { opencode } from "./opencode.ts";

describe("opencode", () => {
  // A title and an output that metadata repeats are kept with the result; ids of parts and messages are not.
  const samples = importerContract(opencode, { damaged: tries(6, 25), files: "opencode" });

  test("costs and tokens as OpenCode counted them; exit codes are errors", async () => {
    const [one] = await samples.read();
    expect(one?.usage).toMatchObject({ promptTokens: 4800, completionTokens: 168, cachedTokens: 3200, modelCalls: 4 });
    expect(one?.usage?.costUsd).toBeCloseTo(0.002256, 9);
    const results = one?.steps.flatMap(({ messages }) => messages ?? []).filter(({ role }) => role === "tool");
    expect(results?.map(({ extra }) => extra?.["result"])).toEqual([{ error: true }, undefined, undefined]);
    expect(one?.info?.["session"]).toMatchObject({ version: "1.18.18", cwd: "/home/ann/sum" });
  });

  const text = (value: string): object => ({ type: "text", text: value });
  const tool = (state: object): object => ({ type: "tool", tool: "bash", callID: "c", state });

  test("several calls of the model in one message, as older versions wrote it; a refusal; a sub-agent", async () => {
    const tokens = { input: 5, output: 1, reasoning: 2, cache: { read: 3, write: 0 } };
    const parts = [
      { type: "step-start" },
      tool({ status: "error", input: {}, error: "The user rejected permission to use this tool" }),
      { type: "step-finish", tokens, cost: 0.5 },
      { type: "step-start" },
      text("I stop."),
      { type: "step-finish", tokens, cost: 0.25 },
    ];
    const [session] = await readRecords(opencode, [
      {
        info: { id: "ses_1", parentID: "ses_0" },
        messages: [
          { info: { role: "user" }, parts: [text("Go.")] },
          { info: { role: "user" }, parts: [{ type: "compaction", auto: true }] },
          { info: { role: "assistant", modelID: "m" }, parts },
        ],
      },
    ]);
    // 5 fresh + 3 cached read, 1 + 2 written.
    expect(session?.steps.map(({ usage }) => usage)).toEqual([
      { promptTokens: 8, completionTokens: 3, cachedTokens: 3, costUsd: 0.5 },
      { promptTokens: 8, completionTokens: 3, cachedTokens: 3, costUsd: 0.25 },
    ]);
    expect(session?.steps[1]?.messages?.[0]?.extra?.["result"]).toEqual({ error: true, refused: true });
    expect(session?.info?.["session"]).toMatchObject({ subagentOf: { trajectory: "ses_0" }, compactedBefore: [0] });
  });

  test("words after a call are the next reply, also where no part says so", async () => {
    const done = { status: "completed", input: {}, output: "ok" };
    const parts = [
      text("First."),
      tool(done),
      text("Then."),
      tool(done),
      { type: "reasoning", text: "Hm." },
      text("End."),
    ];
    const [session] = await readRecords(opencode, [
      {
        info: { id: "ses_1" },
        messages: [
          { info: { role: "user" }, parts: [text("Go.")] },
          { info: { role: "assistant" }, parts },
        ],
      },
    ]);
    expect(session?.steps.map(({ action, observation }) => [observation, action])).toEqual([
      ["Go.", "First.\nbash({})"],
      ["ok", "Then.\nbash({})"],
      ["ok", "End."],
    ]);
  });

  test("the folder of older versions: messages and parts in files of their own", async () => {
    const folder = await mkdtemp(join(tmpdir(), "limbeck-opencode-"));
    const write = async (name: string, value: object): Promise<void> => {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), JSON.stringify(value));
    };
    await write("session/project/ses_1.json", {
      id: "ses_1",
      version: "1.0.20",
      directory: "/p",
      time: { created: 1_767_225_600_000 },
    });
    await write("message/ses_1/msg_2.json", { id: "msg_2", role: "assistant", modelID: "m" });
    await write("message/ses_1/msg_1.json", { id: "msg_1", role: "user" });
    await write("part/msg_1/prt_1.json", text("Hello?"));
    await write("part/msg_2/prt_1.json", text("Hello."));
    const all: Trajectory[] = [];
    for await (const trajectory of opencode.read(folder, {})) all.push(trajectory);
    await rm(folder, { recursive: true });
    expect(all).toMatchObject([
      {
        id: "ses_1",
        timing: { startedAt: "2026-01-01T00:00:00.000Z" },
        steps: [{ observation: "Hello?", action: "Hello." }],
      },
    ]);
  });
});
