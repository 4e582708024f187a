import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { claudeCode } from "./claude-code.ts";

describe("claude-code", () => {
  const samples = importerContract(claudeCode, { damaged: tries(6, 25), files: "claude-code" });
  const read = (records: readonly object[]) => readRecords(claudeCode, records);

  test("pieces of one reply are one step; usage counts once; the sub-agent names its caller", async () => {
    const [helper, caller, alone] = await samples.read();
    expect([helper, caller, alone].map((one) => one?.steps.length)).toEqual([4, 4, 4]);
    // 400 fresh + 800 cached for each of four replies; the first was written in two lines.
    expect(alone?.usage).toEqual({ promptTokens: 4800, completionTokens: 168, cachedTokens: 3200, modelCalls: 4 });
    expect(alone?.steps[0]?.action).toBe(
      'I run the test first.\nBash({"command":"node test.js","description":"run it"})',
    );
    expect(helper?.id).toBe(`${caller?.id}/a9502c7f87aa55504`);
    expect(helper?.info?.["session"]).toMatchObject({ version: "2.1.197", subagentOf: { trajectory: caller?.id } });
    expect(alone?.steps[1]?.messages?.[0]).toMatchObject({ role: "tool", extra: { result: { error: true } } });
    expect(caller?.info).toMatchObject({ "claude-code": { compaction: { trigger: "manual", preTokens: 1242 } } });
    expect(alone).toMatchObject({ policy: { name: "claude-code", model: "claude-opus-4-8" }, ending: "terminated" });
  });

  const line = (
    uuid: string,
    parentUuid: string | null,
    type: string,
    content: unknown,
    more: object = {},
  ): object => ({
    type,
    uuid,
    parentUuid,
    sessionId: "s",
    version: "1.0.60",
    timestamp: "2026-01-01T00:00:00.000Z",
    message: { role: type, content, ...(type === "assistant" ? { id: `m-${uuid}`, model: "c" } : {}) },
    ...more,
  });

  test("a prompt that goes back to an earlier point is a branch, with what both had seen", async () => {
    const all = await read([
      line("1", null, "user", "Mend it."),
      line("2", "1", "assistant", "Which way?"),
      line("3", "2", "user", "The quick way."),
      line("4", "3", "assistant", "Done quickly."),
      line("5", "2", "user", "The right way."),
      line("6", "5", "assistant", "Done rightly."),
      line("7", "4", "user", "Back to the quick one."),
      line("8", "7", "assistant", "Yes."),
    ]);
    expect(all.map(({ id, parent, steps }) => [id, parent, steps.map(({ action }) => action)])).toEqual([
      ["s", undefined, ["Which way?", "Done quickly.", "Yes."]],
      ["s/branch-1", { trajectory: "s", step: 1 }, ["Done rightly."]],
    ]);
    expect(all[1]?.steps[0]?.observation).toBe("The right way.");
  });

  test("results that come between the calls of one reply are paired; a side chain of old files is a session of its own", async () => {
    const use = (id: string): object[] => [{ type: "tool_use", id, name: "Bash", input: {} }];
    const result = (id: string): object[] => [
      { type: "tool_result", tool_use_id: id, content: "The user doesn't want to proceed", is_error: true },
    ];
    const [session, side] = await read([
      line("1", null, "user", "Go."),
      line("2", "1", "assistant", use("a"), { message: { id: "m", role: "assistant", content: use("a") } }),
      line("3", "2", "user", result("a")),
      line("4", "2", "assistant", use("b"), { message: { id: "m", role: "assistant", content: use("b") } }),
      line("s1", null, "user", "Look around.", { isSidechain: true }),
      line("s2", "s1", "assistant", "Nothing there.", { isSidechain: true }),
      line("5", "4", "user", result("b")),
      line("6", "5", "assistant", "I stop."),
    ]);
    expect(session?.steps.map(({ reply }) => reply?.toolCalls?.length ?? 0)).toEqual([2, 0]);
    expect(session?.steps[1]?.messages?.map(({ toolCallId }) => toolCallId)).toEqual(["a", "b"]);
    expect(session?.steps[1]?.messages?.[0]?.extra).toMatchObject({ result: { error: true, refused: true } });
    expect(side).toMatchObject({
      id: "s/s1",
      task: { goal: "Look around." },
      info: { session: { subagentOf: { trajectory: "s" } } },
    });
  });

  test("a call that nothing answered says that the session was cut off; commands are not what a person asked", async () => {
    const [session] = await read([
      line("1", null, "user", "<command-name>/clear</command-name>"),
      line("2", "1", "user", "Mend the sum."),
      line("3", "2", "assistant", [{ type: "tool_use", id: "a", name: "Bash", input: {} }]),
    ]);
    expect(session).toMatchObject({
      ending: "truncated",
      task: { goal: "Mend the sum." },
      info: { session: { unanswered: ["a"] } },
    });
  });
});
