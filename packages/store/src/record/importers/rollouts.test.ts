import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { rollouts } from "./rollouts.ts";

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const verl = lines([
  { input: "user\n2 + 2, mail @EMAIL@", output: "4", gts: "4", score: 1, step: 3, acc: true },
  { input: "user\n2 + 2, mail @EMAIL@", output: "5, my key is @SECRET@", gts: "4", score: 0.25, step: 3, acc: false },
]);
const verifiers = lines([
  {
    example_id: 0,
    prompt: [
      { role: "system", content: "Answer." },
      { role: "user", content: "2 + 3?" },
    ],
    completion: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "add", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: "5" },
      { role: "assistant", content: "5" },
    ],
    answer: "5",
    reward: 1,
    format_reward: 0.5,
  },
]);

describe("rollouts of trainers", () => {
  const samples = importerContract(rollouts, { files: { "3.jsonl": verl, "results.jsonl": verifiers } });
  test("answers to one prompt are a group; reward, and what the verifier said", async () => {
    const [right, wrong, other] = await samples.read();
    expect([right?.group, right?.reward, right?.success]).toEqual([wrong?.group, { kind: "scored", value: 1 }, true]);
    expect([wrong?.reward, wrong?.success]).toEqual([{ kind: "scored", value: 0.25 }, false]);
    expect([other?.steps.length, other?.reward, other?.success]).toEqual([2, { kind: "scored", value: 1 }, null]);
  });
});
