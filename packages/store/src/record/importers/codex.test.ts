import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { codex } from "./codex.ts";

describe("codex", () => {
  const samples = importerContract(codex, { damaged: tries(6, 25), files: "codex" });
  const item = (payload: object): object => ({ timestamp: "2026-01-01T00:00:00Z", type: "response_item", payload });

  test("reasoning, words and call of one response are one step, with its tokens; the environment is not the task", async () => {
    const [session] = await samples.read();
    expect(session).toMatchObject({
      id: "01a1e6d8-6e3c-7da1-aa30-44762ef1889a",
      policy: { name: "codex", model: "stub" },
      usage: { promptTokens: 4800, completionTokens: 168, cachedTokens: 3200, modelCalls: 4 },
      info: { session: { version: "0.166.0", gitBranch: "master" } },
    });
    expect(session?.task.goal).toMatch(/^The sum is wrong/);
    expect(session?.steps.map(({ reply }) => [reply?.reasoning, reply?.toolCalls?.[0]?.name])).toEqual([
      ["Look at the test.", "exec_command"],
      ["Look at the test.", "exec_command"],
      ["Look at the test.", "exec_command"],
      ["Look at the test.", undefined],
    ]);
    const results = session?.steps.flatMap(({ messages }) => messages ?? []).filter(({ role }) => role === "tool");
    expect(results?.map(({ extra }) => extra?.["result"])).toEqual([{ error: true }, undefined, undefined]);
  });

  test("two calls at once are one step; a compaction is marked; a refused patch too; a sub-agent names its caller", async () => {
    const [session] = await readRecords(codex, [
      {
        type: "session_meta",
        payload: { id: "x", cli_version: "0.120.0", source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } },
      },
      item({ type: "message", role: "user", content: [{ type: "input_text", text: "Go." }] }),
      item({ type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "a" }),
      item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "b" }),
      item({ type: "function_call_output", call_id: "a", output: '{"output":"x","metadata":{"exit_code":0}}' }),
      item({ type: "custom_tool_call_output", call_id: "b", output: "patch rejected by user" }),
      {
        type: "event_msg",
        payload: { type: "token_count", info: { last_token_usage: { input_tokens: 7, output_tokens: 2 } } },
      },
      { type: "compacted", payload: { message: "So far: one patch." } },
      item({ type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }),
    ]);
    expect(session?.steps.map(({ reply, usage }) => [reply?.toolCalls?.map(({ name }) => name), usage])).toEqual([
      [["shell", "apply_patch"], { promptTokens: 7, completionTokens: 2 }],
      [undefined, undefined],
    ]);
    expect(session?.info).toMatchObject({ session: { compactedBefore: [1], subagentOf: { trajectory: "p" } } });
    expect(session?.steps[1]?.observation).toContain("So far: one patch.");
    expect(session?.steps[1]?.messages?.[1]?.extra?.["result"]).toEqual({ refused: true });
  });

  const said = (role: string, text: string): object => ({ type: "message", role, content: [{ type: "text", text }] });
  const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
  const call = (id: string): object => ({ type: "function_call", name: "shell", arguments: "{}", call_id: id });
  const output = (id: string): object => ({ type: "function_call_output", call_id: id, output: `of ${id}` });
  const counted = { type: "event_msg", payload: { type: "token_count", info: null } };
  /** One call, two calls at once, words; the program counts tokens when a reply is whole. */
  const WORK = [
    [said("user", "Go.")],
    [thought, call("a"), counted, output("a")],
    [thought, call("b"), call("c"), counted, output("b"), output("c")],
    [said("assistant", "Done."), counted],
  ].flat();
  const bare = WORK.filter((one) => one !== counted);

  test.each([
    ["framed, with counts of tokens", WORK.map((one) => (one === counted ? one : item(one)))],
    ["framed, without", bare.map(item)],
    ["bare, as the first versions wrote them", [{ id: "old", timestamp: "2025-05-01T00:00:00Z" }, ...bare]],
  ])("a result ends the reply before it, whether tokens are counted or not: %s", async (_name, records) => {
    const [session] = await readRecords(codex, records);
    expect(session?.steps.map(({ reply }) => reply?.toolCalls?.map(({ id }) => id))).toEqual([
      ["a"],
      ["b", "c"],
      undefined,
    ]);
    expect(session?.steps.map(({ observation }) => observation)).toEqual(["Go.", "of a", "of b\nof c"]);
    expect(session?.steps.at(-1)?.action).toBe("Done.");
  });

  test("items without a frame, as the first versions wrote them", async () => {
    const [session] = await readRecords(codex, [
      { id: "old", timestamp: "2025-05-01T00:00:00Z", instructions: null },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello?" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] },
    ]);
    expect(session).toMatchObject({ id: "old", steps: [{ observation: "Hello?", action: "Hello." }] });
  });
});
