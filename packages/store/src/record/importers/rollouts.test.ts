import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { rollouts } from "./rollouts.ts";

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const verl = lines([
  { input: "user\n2 + 2, mail @EMAIL@", output: "4", gts: "4", score: 1, step: 3, acc: true },
  { input: "user\n2 + 2, mail @EMAIL@", output: "5, my key is @SECRET@", gts: "4", score: 0.25, step: 3, acc: false },
]);
// As verifiers writes them: calls of tools as JSON texts, metrics once more beside the rest, null where there is nothing.
const asked = [
  { role: "system", content: "Answer." },
  { role: "user", content: "2 + 3?" },
];
const usual = { timing: { total: 1 }, is_completed: true, is_truncated: false, tool_defs: null };
const verifiers = lines([
  {
    example_id: 0,
    prompt: asked,
    completion: [
      {
        role: "assistant",
        content: "",
        tool_calls: [JSON.stringify({ id: "c", name: "add", arguments: '{"a":2}', type: "function" })],
      },
      { role: "tool", tool_call_id: "c", content: "5" },
      { role: "assistant", content: "5" },
    ],
    answer: "5",
    reward: 1,
    error: null,
    ...usual,
    stop_condition: "no_tools_called",
    metrics: { format_reward: 0.5 },
    format_reward: 0.5,
  },
  {
    example_id: 0,
    prompt: asked,
    completion: null,
    reward: 0,
    error: { error: "ModelError", message: "no answer", error_chain_repr: "", error_chain_str: "" },
    ...usual,
    stop_condition: "has_error",
    metrics: {},
  },
]);
const node = (parent: number | undefined, role: string, content: string, more = {}) => ({
  ...(parent === undefined ? {} : { parent }),
  message: { role, content, ...more },
  sampled: role === "assistant",
  timestamp: 1,
  token_ids: [1],
  mask: [false],
});
const call = { tool_calls: [{ id: "c", name: "add", arguments: '{"a":2}' }] };
const traces = lines([
  {
    id: "e1",
    env: { id: "sums" },
    task: { type: "Sum", data: { question: "2 + 3?" }, key: "sum-1" },
    ok: true,
    errors: [],
    traces: [
      {
        version: 1,
        id: "t1",
        task: { type: "Sum", data: { question: "2 + 3?" }, key: "sum-1" },
        agent: { config: {}, name: "solver", trainable: true },
        // Two ways after the result, and a helper with a beginning of its own.
        nodes: [
          node(undefined, "user", "2 + 3?"),
          node(0, "assistant", "", call),
          node(1, "tool", "5", { tool_call_id: "c" }),
          node(2, "assistant", "5"),
          node(2, "assistant", "Five."),
          node(undefined, "user", "Check 5."),
          node(5, "assistant", "Right."),
        ],
        rewards: { correct: { score: 1, weight: 1 }, brief: { score: 0.5, weight: 0.2 }, late: null },
        metrics: { turns: 2 },
        is_completed: true,
        ok: true,
        errors: [],
      },
    ],
  },
]);

describe("rollouts of trainers", () => {
  const samples = importerContract(rollouts, {
    files: { "3.jsonl": verl, "results.jsonl": verifiers, "traces.jsonl": traces },
  });
  test("answers to one prompt are a group; reward, and what the verifier said", async () => {
    const [right, wrong, other, lost] = await samples.read();
    expect([right?.group, right?.reward, right?.success]).toEqual([wrong?.group, { kind: "scored", value: 1 }, true]);
    expect([wrong?.reward, wrong?.success]).toEqual([{ kind: "scored", value: 0.25 }, false]);
    expect([other?.steps.length, other?.reward, other?.success]).toEqual([2, { kind: "scored", value: 1 }, null]);
    expect(other?.steps[0]?.reply?.toolCalls).toMatchObject([{ id: "c", name: "add", arguments: { a: 2 } }]);
    expect(other?.rewards.map(({ name }) => name)).toEqual(["score", "format_reward"]);
    expect([lost?.group, lost?.ending, lost?.failure]).toEqual([
      other?.group,
      "failed",
      { code: "ModelError", message: "no answer" },
    ]);
  });

  test("a graph of messages: its branches, a helper's conversation, weighted rewards", async () => {
    const [whole, branch, helper] = (await samples.read()).slice(4);
    expect(whole?.steps.map(({ reply }) => reply?.content)).toEqual(["", "5"]);
    expect([branch?.parent, branch?.steps.map(({ reply }) => reply?.content)]).toEqual([
      { trajectory: whole?.id, step: 1 },
      ["Five."],
    ]);
    expect(helper?.steps.map(({ reply }) => reply?.content)).toEqual(["Right."]);
    // 1 x 1 + 0.5 x 0.2; what was not scored counts nothing.
    expect(whole?.reward).toEqual({ kind: "scored", value: 1.1 });
    expect(whole?.rewards.map(({ name }) => name)).toEqual(["correct", "brief", "turns", "score"]);
    expect([whole?.task.goal, helper?.task.goal, whole?.task.env]).toEqual(["2 + 3?", "Check 5.", "sums"]);
    expect([branch?.group === whole?.group, helper?.group === whole?.group, whole?.policy?.name]).toEqual([
      true,
      false,
      "solver",
    ]);
  });
});
