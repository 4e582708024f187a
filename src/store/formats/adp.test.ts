import { describe, expect, test } from "vitest";
import { validateForest } from "../../trajectory/index.ts";
import { adp, readAdpDocument } from "./adp.ts";
import { readContract } from "./format.contract.ts";

const place = { file: "a.jsonl", line: 1 };

describe("adp", () => {
  readContract(adp, {
    line: (number) => JSON.stringify({ id: `t${number}`, content: [{ class_: "message_action", content: "hi" }] }),
    wrongShape: '{"id":"x","content":[{"class_":"dance"}]}',
    folders: true,
  });

  test("actions become steps with calls, reasoning and rewards; observations their messages", () => {
    const trajectory = readAdpDocument(shopping, place);
    expect(validateForest([trajectory])).toEqual([]);
    expect(trajectory.steps.map((step) => [step.observation, step.action, step.reward])).toEqual([
      ["Buy red shoes.", 'search({"q":"red shoes"})', { kind: "unscored", why: "the action has no reward" }],
      [
        "shop.example\n[1] shoes",
        'Count them.\nexecute_bash({"command":"wc -l shoes"})',
        { kind: "scored", value: 0.5 },
      ],
      // 0.25 on the observation that answers the call of step 1 and 0.25 on the call itself make 0.5.
      ["3", "Done.", { kind: "scored", value: 1 }],
    ]);
    expect(trajectory.reward).toEqual({ kind: "scored", value: 1.5 });
    expect(trajectory.steps[0]?.reply).toEqual({
      role: "assistant",
      content: "",
      reasoning: "Look first.",
      toolCalls: [{ id: "c1", name: "search", arguments: { q: "red shoes" } }],
    });
    expect(trajectory.closing?.messages?.[0]?.content).toEqual([{ type: "image", path: "end.png" }]);
    expect(trajectory.info).toEqual({ adp: { schema_version: "1.2.0", details: { split: "web" } } });
  });

  test("other versions are refused, and nothing is written", async () => {
    expect(() => readAdpDocument({ ...shopping, schema_version: "2.0.0" }, place)).toThrow(
      "known versions are 1.0, 1.1 and 1.2",
    );
    async function* none(): AsyncGenerator<never, void, undefined> {}
    await expect(adp.write("x", none(), {})).rejects.toMatchObject({ code: "read-only-format" });
  });
});

const shopping = {
  schema_version: "1.2.0",
  id: "shop-1",
  details: { split: "web" },
  content: [
    { class_: "text_observation", content: "Buy red shoes.", source: "user" },
    {
      class_: "api_action",
      function: "search",
      kwargs: { q: "red shoes" },
      reasoning_content: "Look first.",
      tool_call_id: "c1",
    },
    { class_: "web_observation", url: "shop.example", axtree: "[1] shoes", html: "<b>", tool_call_id: "c1" },
    {
      class_: "code_action",
      language: "bash",
      content: "wc -l shoes",
      description: "Count them.",
      reward: 0.25,
      tool_call_id: "c2",
    },
    { class_: "text_observation", content: "3", source: "environment", reward: 0.25, tool_call_id: "c2" },
    { class_: "message_action", content: "Done.", reward: 1 },
    { class_: "image_observation", content: "end.png", source: "environment", annotations: [] },
  ],
};
