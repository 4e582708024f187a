import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foreignDocuments } from "../../../../../test/support/atif-documents.ts";
import { forest } from "../../../../../test/support/forests.ts";
import { tinyTokenizer } from "../../../../../test/support/tiny-folder.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { buildCloningRows } from "limbeck-core/objective/cloning-rows";
import { createChat } from "limbeck-policy/policy/local/chat-template";
import { createTokenizer } from "limbeck-policy/policy/local/tokenizer";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { adp, adpDocument, readAdpDocument } from "./adp.ts";
import { readDocument, toDocument } from "./atif.ts";
import { chatLine, readLine } from "./chat.ts";
import { formatContract } from "./format.contract.ts";

const place = { file: "a.jsonl", line: 1 };

describe("adp", () => {
  formatContract(adp, {
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

  test("other versions are refused", () => {
    expect(() => readAdpDocument({ ...shopping, schema_version: "2.0.0" }, place)).toThrow(
      "known versions are 1.0, 1.1 and 1.2",
    );
    const newer = { ...shopping, details: { limbeck: { version: 2, steps: [] } } };
    expect(() => readAdpDocument(newer, place)).toThrow("details.limbeck has version 2; known is 1. Update limbeck.");
  });

  test("any valid forest survives the way to ADP and back, exact tokens included", () => {
    fc.assert(
      fc.property(forest, (trajectories) => {
        const lines = trajectories.map((trajectory) => JSON.stringify(adpDocument(trajectory)));
        expect(lines.map((line) => readAdpDocument(JSON.parse(line), place))).toStrictEqual(trajectories);
      }),
      { numRuns: tries(20, 200) },
    );
  });

  test("a document of the protocol's own comes back item by item", () => {
    const [first, call, page, code, count, done, image] = shopping.content;
    // The reward of the observation that answers a call stands on the call, where it counts for the same step.
    const { reward: _reward, ...plainCount } = count as { reward: number };
    expect(adpDocument(readAdpDocument(shopping, place))).toEqual({
      ...shopping,
      content: [
        first,
        { ...call, kwargs: { q: "red shoes" } },
        page,
        { ...code, reward: 0.5 },
        plainCount,
        done,
        image,
      ],
    });
  });

  test("a tool may bear any name", () => {
    const read = readAdpDocument({ content: [{ class_: "api_action", function: "valueOf", kwargs: { a: 1 } }] }, place);
    expect(readAdpDocument(adpDocument(read), place)).toEqual(read);
  });

  test("what an import kept and no longer fits is left out, and nothing is lost", () => {
    const read = readAdpDocument(shopping, place);
    const broken = { ...read, info: { adp: { schema_version: "9" } } };
    expect(readAdpDocument(JSON.parse(JSON.stringify(adpDocument(broken))), place)).toEqual(broken);
  });
});

describe("two foreign logs on their way through ADP", () => {
  const openAi = readFileSync(new URL("../../../../../examples/bookshop-agent.jsonl", import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const there = (trajectory: Trajectory): Trajectory =>
    readAdpDocument(JSON.parse(JSON.stringify(adpDocument(trajectory))), place);

  test("OpenAI chats and ATIF documents come back as they were", () => {
    expect(openAi.length).toBeGreaterThan(1);
    const chats = openAi.map((line) => chatLine(there(readLine(line, place)), "openai"));
    expect(chats.map((line) => JSON.stringify(line))).toEqual(
      openAi.map((line) => JSON.stringify(chatLine(readLine(line, place), "openai"))),
    );
    expect(chats).toEqual(openAi);
    for (const document of Object.values(foreignDocuments)) {
      const read = readDocument(document, place);
      expect(read.map((one) => toDocument(there(one)))).toEqual(read.map((one) => toDocument(one)));
    }
  });

  test("loss masks are the same after ADP, and cover the agent's words alone under two templates", async () => {
    const other =
      "{% for message in messages %}[{{ message.role }}] {{ message.content }}{% for call in message.tool_calls or [] %}" +
      "{{ call.function.name }} {{ call.function.arguments | tojson }}{% endfor %}<|im_end|>\n{% endfor %}" +
      "{% if add_generation_prompt %}[assistant] {% endif %}";
    const trained = await Promise.all(
      [tinyTokenizer, { ...tinyTokenizer, chatTemplate: other }].map(async (files) => {
        const tokenizer = await createTokenizer(files);
        const options = { tokenizer, chat: await createChat(tokenizer), vocabularySize: 288, maxTokens: 10_000 };
        return openAi.flatMap((line) => {
          const [direct, through] = [readLine(line, place), there(readLine(line, place))];
          const { rows } = buildCloningRows(through, options);
          expect(rows).toEqual(buildCloningRows(direct, options).rows);
          return rows.map(({ ids, mask }) => tokenizer.decode(ids.filter((_, at) => mask[at] === 1)));
        });
      }),
    );
    const [chatml = [], marked = []] = trained;
    expect(marked).toHaveLength(chatml.length);
    for (const text of [...chatml, ...marked]) {
      expect(text).toContain("order");
      expect(text).not.toContain("You help customers");
      expect(text).not.toContain("[user]");
    }
    // The templates write calls in their own way; what is said in words and how often a turn ends is the same.
    const ends = (texts: readonly string[]): number[] => texts.map((text) => text.split("<|im_end|>").length);
    expect(ends(marked)).toEqual(ends(chatml));
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
