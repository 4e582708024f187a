import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { tauBench } from "./tau-bench.ts";

const one = [
  {
    task_id: 3,
    reward: 1.0,
    trial: 2,
    info: { task: { user_id: "u", instruction: "You want to change a flight.", actions: [] }, source: "user" },
    traj: [
      { role: "system", content: "You are an airline agent." },
      { role: "user", content: "Change my flight, mail @EMAIL@" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "c",
            type: "function",
            function: { name: "get_user", arguments: '{"user_id": "u", "api_key": "@SECRET@"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "c", name: "get_user", content: "Error: user not found" },
      { role: "assistant", content: "I cannot find you." },
    ],
  },
];
const two = {
  timestamp: "2026-01-01T00:00:00",
  info: { agent_info: { llm: "gpt-5" } },
  tasks: [{ id: "t1" }],
  simulations: [
    {
      id: "sim-1",
      task_id: "t1",
      trial: 0,
      start_time: "2026-01-01T00:00:00",
      termination_reason: "user_stop",
      reward_info: { reward: 0.0, db_check: { db_match: false } },
      messages: [
        {
          role: "assistant",
          content: "How can I help?",
          turn_idx: 0,
          cost: 0.25,
          usage: { prompt_tokens: 4, completion_tokens: 2 },
        },
        { role: "user", content: "Cancel my order please.", turn_idx: 1 },
        {
          role: "assistant",
          tool_calls: [{ id: "c9", name: "cancel", arguments: { order: 7 }, requestor: "assistant" }],
          cost: 0.5,
        },
        { role: "tool", id: "c9", content: "It is cancelled now.", error: false },
      ],
    },
  ],
};

describe("tau-bench", () => {
  const samples = importerContract(tauBench, {
    damaged: tries(6, 25),
    files: { "gpt.json": JSON.stringify(one), "tau2.json": JSON.stringify(two, null, 2) },
    leaves: ["timestamp"],
  });

  test("rewards are the outcome; the task is the user's instruction; costs add up", async () => {
    const [first, second] = await samples.read();
    expect(first).toMatchObject({
      success: true,
      reward: { value: 1 },
      task: { goal: "You want to change a flight.", env: "tau-bench" },
    });
    expect(first?.steps[1]?.messages?.[0]?.extra?.["result"]).toEqual({ error: true });
    expect(second).toMatchObject({
      id: "sim-1",
      success: false,
      reward: { value: 0 },
      usage: { costUsd: 0.75, promptTokens: 4 },
    });
    expect(second?.closing?.messages?.[0]).toMatchObject({ role: "tool", toolCallId: "c9" });
  });
});
