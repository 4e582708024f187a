import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { phoenix } from "./phoenix.ts";

const files = {
  "spans.jsonl": [
    {
      name: "ChatCompletion",
      span_kind: "LLM",
      start_time: "2026-01-01T00:00:01+00:00",
      end_time: "2026-01-01T00:00:02+00:00",
      "context.trace_id": "t",
      "context.span_id": "1",
      "attributes.llm.input_messages": [{ "message.role": "user", "message.content": "Is it warm in Oslo? @EMAIL@" }],
      "attributes.llm.output_messages": [
        {
          "message.role": "assistant",
          "message.tool_calls": [
            {
              "tool_call.id": "c1",
              "tool_call.function.name": "weather",
              "tool_call.function.arguments": '{"city": "Oslo"}',
            },
          ],
        },
      ],
      "attributes.llm.model_name": "gpt-5",
      "attributes.llm.token_count.prompt": 10,
      "attributes.llm.token_count.completion": 2,
    },
    {
      name: "weather",
      span_kind: "TOOL",
      start_time: "2026-01-01T00:00:02Z",
      context: { trace_id: "t" },
      attributes: { output: { value: "4 degrees there" }, note: "the key @SECRET@" },
      status_code: "ERROR",
      status_message: "slow answer",
    },
    {
      name: "ChatCompletion",
      span_kind: "LLM",
      start_time: "2026-01-01T00:00:03Z",
      context: { trace_id: "t", span_id: "3" },
      annotations: [{ name: "success", annotator_kind: "HUMAN", result: { score: 1 } }],
      attributes: {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Is it warm in Oslo? @EMAIL@",
        "llm.input_messages.1.message.role": "assistant",
        "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city": "Oslo"}',
        "llm.input_messages.2.message.role": "tool",
        "llm.input_messages.2.message.tool_call_id": "c1",
        "llm.input_messages.2.message.content": "4 degrees there",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "It is cold there.",
        "llm.cost.total": 0.25,
      },
    },
  ]
    .map((one) => JSON.stringify(one))
    .join("\n"),
};

describe("phoenix", () => {
  const samples = importerContract(phoenix, { damaged: tries(6, 25), files });

  test("columns, nested and flat attributes say the same; annotations are rewards", async () => {
    const [session] = await samples.read();
    expect(session).toMatchObject({
      id: "t",
      success: true,
      policy: { model: "gpt-5" },
      usage: { promptTokens: 10, completionTokens: 2, costUsd: 0.25 },
    });
    expect(session?.steps.map(({ messages, action }) => [messages?.map(({ role }) => role), action])).toEqual([
      [["user"], 'weather({"city":"Oslo"})'],
      [["tool"], "It is cold there."],
    ]);
  });
});
