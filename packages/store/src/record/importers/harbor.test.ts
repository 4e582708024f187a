import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { harbor } from "./harbor.ts";

const trajectory = {
  schema_version: "ATIF-v1.6",
  session_id: "s",
  agent: { name: "terminus-2", version: "2.0", model_name: "gpt-5" },
  steps: [
    { step_id: 1, source: "user", message: "Mend the sum. @EMAIL@" },
    {
      step_id: 2,
      source: "agent",
      message: "I run it.",
      tool_calls: [{ tool_call_id: "c", function_name: "bash", arguments: { command: "echo @SECRET@" } }],
      observation: { results: [{ source_call_id: "c", content: "1 test passed" }] },
    },
  ],
};
const result = {
  trial_name: "sum__1",
  task_name: "sum",
  verifier_result: { rewards: { reward: 1, speed: 0.5 } },
  agent_result: { cost_usd: 0.25 },
  exception_info: null,
  finished_at: "2026-01-01T00:00:00Z",
};

describe("harbor", () => {
  const samples = importerContract(harbor, {
    damaged: tries(6, 25),
    files: {
      "sum__1/agent/trajectory.json": JSON.stringify(trajectory),
      "sum__1/result.json": JSON.stringify(result),
      "result.json": "{}",
    },
  });

  test("the verifier's rewards are the outcome of the trial", async () => {
    const [trial] = await samples.read();
    expect(trial).toMatchObject({
      id: "sum__1",
      success: true,
      reward: { value: 1 },
      group: "harbor-sum",
      policy: { name: "terminus-2", model: "gpt-5" },
      usage: { costUsd: 0.25 },
    });
    expect(trial?.rewards.map(({ name, score }) => [name, score.kind === "scored" ? score.value : null])).toEqual([
      ["reward", 1],
      ["speed", 0.5],
      ["score", 1],
      ["success", 1],
    ]);
  });
});
