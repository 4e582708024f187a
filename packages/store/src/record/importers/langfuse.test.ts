import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { langfuse } from "./langfuse.ts";

const asked = { role: "user", content: "Is it warm in Oslo? @EMAIL@" };
const call = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
};
const result = { role: "tool", tool_call_id: "c1", content: "4 degrees there" };
const row = (id: string, type: string, second: number, more: object): object => ({
  id,
  trace_id: "t",
  type,
  name: id,
  start_time: `2026-01-01 00:00:0${second}.000000`,
  parent_observation_id: null,
  ...more,
});
const files = {
  "observations_v2.jsonl": [
    row("g1", "GENERATION", 1, {
      input: JSON.stringify([asked]),
      output: JSON.stringify(call),
      provided_model_name: "gpt-5",
      usage_details: { input: 10, output: 2 },
      total_cost: 0.5,
    }),
    row("tool", "TOOL", 2, {
      input: "the key @SECRET@",
      output: "4 degrees there",
      level: "ERROR",
      status_message: "slow answer",
    }),
    row("g2", "GENERATION", 3, {
      input: JSON.stringify({ messages: [asked, call, result] }),
      output: "It is cold there.",
    }),
  ]
    .map((one) => JSON.stringify(one))
    .join("\n"),
  "scores.jsonl": JSON.stringify({
    id: "s",
    trace_id: "t",
    name: "success",
    value: 0,
    data_type: "BOOLEAN",
    source: "ANNOTATION",
    comment: "not what I asked",
  }),
  "trace.json": JSON.stringify({
    id: "u",
    name: "page",
    timestamp: "2026-01-01T00:00:00Z",
    observations: [
      {
        id: "g",
        traceId: "u",
        type: "GENERATION",
        startTime: "2026-01-01T00:00:00Z",
        input: { messages: [asked] },
        output: { role: "assistant", content: "No, it is not." },
        usageDetails: { input: 3, output: 1 },
      },
    ],
    scores: [],
  }),
};

describe("langfuse", () => {
  const samples = importerContract(langfuse, { damaged: tries(6, 25), files });

  test("rows of several files make one session, with costs and scores; a downloaded trace is another", async () => {
    const [page, rows] = (await samples.read()).sort((one, other) => (one.id > other.id ? -1 : 1));
    expect(rows).toMatchObject({
      id: "t",
      success: false,
      usage: { promptTokens: 10, completionTokens: 2, costUsd: 0.5 },
      rewards: [{ source: "annotation", comment: "not what I asked" }],
    });
    expect(rows?.steps.map(({ messages, action }) => [messages?.map(({ role }) => role), action])).toEqual([
      [["user"], 'weather({"city":"Oslo"})'],
      [["tool"], "It is cold there."],
    ]);
    expect(page).toMatchObject({ id: "u", policy: { name: "page" }, steps: [{ action: "No, it is not." }] });
  });
});
