import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { langsmith } from "./langsmith.ts";

const human = {
  lc: 1,
  type: "constructor",
  id: ["langchain", "schema", "messages", "HumanMessage"],
  kwargs: { content: "Is it warm in Oslo? @EMAIL@" },
};
const call = {
  type: "ai",
  content: "",
  tool_calls: [{ id: "c1", name: "weather", args: { city: "Oslo", note: "@SECRET@" } }],
};
const result = { type: "tool", content: "4 degrees there", tool_call_id: "c1" };
const run = (id: string, run_type: string, second: number, more: object): string =>
  JSON.stringify({
    id,
    run_type,
    trace_id: "t",
    name: id,
    start_time: `2026-01-01T00:00:0${second}`,
    end_time: `2026-01-01T00:00:0${second + 1}`,
    ...more,
  });
const files = {
  "runs.jsonl": [
    run("second", "llm", 3, {
      parent_run_id: "t",
      inputs: { messages: [[human, call, result]] },
      outputs: { generations: [[{ message: { type: "ai", content: "It is cold there." } }]] },
      prompt_tokens: 20,
      completion_tokens: 5,
      total_cost: "0.002",
    }),
    run("t", "chain", 0, {
      name: "weather agent",
      feedback_stats: { success: { n: 1, avg: 1 } },
      inputs: { question: "Is it warm there" },
    }),
    run("first", "llm", 1, {
      inputs: { messages: [[human]] },
      outputs: { generations: [[{ message: call }]] },
      extra: { metadata: { ls_model_name: "gpt-5" } },
      prompt_tokens: 10,
      completion_tokens: 2,
    }),
    run("tool", "tool", 2, {
      inputs: { input: "city of Oslo" },
      outputs: { output: { content: "4 degrees there", tool_call_id: "c1" } },
    }),
  ].join("\n"),
};

describe("langsmith", () => {
  const samples = importerContract(langsmith, { damaged: tries(6, 25), files });

  test("calls in the order of time are steps; what was given before is taken off; feedback is the outcome", async () => {
    const [session, ...others] = await samples.read();
    expect(others).toEqual([]);
    expect(session).toMatchObject({
      id: "t",
      success: true,
      policy: { name: "weather agent", model: "gpt-5" },
      usage: { promptTokens: 30, completionTokens: 7, costUsd: 0.002 },
    });
    expect(session?.steps.map(({ messages, action }) => [messages?.map(({ role }) => role), action])).toEqual([
      [["user"], 'weather({"city":"Oslo","note":"[redacted key]"})'],
      [["tool"], "It is cold there."],
    ]);
  });
});
