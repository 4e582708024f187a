import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "limbeck-base/base/json";
import { anthropicChat } from "./anthropic-chat.ts";
import { chatLine, detectDialect, readLine } from "./chat.ts";
import { formatContract } from "./format.contract.ts";

const place = { file: "chat.jsonl", line: 1 };
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const json = fc.dictionary(
  text.filter((key) => key !== "__proto__"),
  fc.oneof(text, fc.integer(), fc.constant(null)),
  { maxKeys: 2, noNullPrototype: true },
);
const record = <T extends object>(
  fields: { [K in keyof T]: fc.Arbitrary<T[K]> },
  optional: (keyof T)[] = [],
): fc.Arbitrary<Partial<T>> =>
  fc.record(fields, {
    noNullPrototype: true,
    requiredKeys: (Object.keys(fields) as (keyof T)[]).filter((key) => !optional.includes(key)),
  });
const textBlock = record({ type: fc.constant("text"), text, citations: json }, ["citations"]);
const image = record({
  type: fc.constant("image"),
  source: record({
    type: fc.constant("base64"),
    media_type: fc.constant("image/png"),
    data: fc.base64String({ maxLength: 8 }),
  }),
});
const toolUse = record({ type: fc.constant("tool_use"), id: text, name: text, input: json });
const thinking = record({ type: fc.constant("thinking"), thinking: text, signature: text }, ["signature"]);
const redacted = record({ type: fc.constant("redacted_thinking"), data: text });
const result = record(
  {
    type: fc.constant("tool_result"),
    tool_use_id: text,
    content: fc.oneof(text, fc.array(textBlock)),
    is_error: fc.boolean(),
  },
  ["content", "is_error"],
);
const message = fc.oneof(
  record({
    role: fc.constant("assistant"),
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, toolUse, thinking, redacted), { maxLength: 4 })),
  }),
  record(
    {
      role: fc.constant("user"),
      content: fc.oneof(text, fc.array(fc.oneof(result, textBlock, image), { maxLength: 4 })),
      note: json,
    },
    ["note"],
  ),
);
const line = record(
  {
    system: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
    messages: fc.array(message, { maxLength: 8 }),
    tools: fc.array(
      record({ name: text, description: text, input_schema: json, cache_control: json }, [
        "description",
        "cache_control",
      ]),
      { maxLength: 2 },
    ),
    metadata: json,
  },
  ["system", "tools", "metadata"],
);

describe("anthropic-chat", () => {
  formatContract(anthropicChat, {
    line: (number) =>
      `{"system":"s","messages":[{"role":"user","content":"hi ${number}"},{"role":"assistant","content":[{"type":"text","text":"yes"}]}]}`,
    wrongShape: '{"system":"s","messages":[{"role":"user","content":[7]}]}',
    folders: false,
  });

  test("any conversation in this shape comes back as it was", () => {
    fc.assert(
      fc.property(line, (value) => {
        // Without a sign of this dialect a line is read as the other one; the next test has those.
        fc.pre(detectDialect(value, value.messages ?? []) === "anthropic");
        expect(chatLine(readLine(value, place), "anthropic")).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test("a conversation of bare texts is the same line in both dialects", () => {
    const bare = fc.record({ role: fc.constantFrom("user", "assistant"), content: text }, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.record({ messages: fc.array(bare), id: text }, { noNullPrototype: true }), (value) => {
        expect(chatLine(readLine(value, place), "anthropic")).toEqual(value);
        expect(chatLine(readLine(value, place), "openai")).toEqual(value);
      }),
    );
  });

  test("blocks become messages: thinking, calls and results apart", () => {
    const { steps, tools } = readLine(search, place);
    expect(steps[0]?.messages?.map((item) => item.role)).toEqual(["system", "user"]);
    expect(steps[0]?.reply).toMatchObject({
      content: "Let me look.",
      reasoning: "Two searches.",
      toolCalls: [
        { id: "t1", name: "search", arguments: { q: "a" } },
        { id: "t2", name: "search", arguments: { q: "b" } },
      ],
    });
    expect(steps[1]?.messages).toEqual([
      { role: "tool", content: "found a", toolCallId: "t1" },
      { role: "tool", content: "boom", toolCallId: "t2", extra: { anthropic: { block: { is_error: true } } } },
      { role: "user", content: "Go on." },
    ]);
    expect(tools).toEqual([
      { type: "function", function: { name: "search", description: "Finds.", parameters: { type: "object" } } },
    ]);
  });

  test("what both dialects hold survives a visit to the other one", () => {
    const openai = chatLine(readLine(search, place), "openai");
    expect((openai["messages"] as JsonObject[]).map((item) => item["role"])).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
      "assistant",
    ]);
    const back = chatLine(readLine(openai, place), "anthropic");
    // An error mark has no place in the other dialect; everything else does.
    expect(JSON.stringify(back)).toBe(JSON.stringify(search).replace(',"is_error":true', ""));
  });

  test("images change their shape with the dialect", () => {
    const source = { type: "base64", media_type: "image/png", data: "aGk=" };
    const value = { messages: [{ role: "user", content: [{ type: "image", source }] }] };
    const openai = chatLine(readLine(value, place), "openai");
    expect(openai["messages"]).toEqual([
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] },
    ]);
    expect(chatLine(readLine(openai, place), "anthropic")).toEqual(value);
  });

  test("malformed arguments of the other dialect survive here too", () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{oops" } };
    const value = {
      messages: [
        { role: "user", content: "x" },
        { role: "assistant", content: null, tool_calls: [call] },
      ],
    };
    const here = chatLine(readLine(value, place), "anthropic");
    expect(chatLine(readLine(here, place), "openai")).toEqual(value);
  });
});

const search = {
  system: "Find things.",
  messages: [
    { role: "user", content: "a and b" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Two searches." },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "t1", name: "search", input: { q: "a" } },
        { type: "tool_use", id: "t2", name: "search", input: { q: "b" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "found a" },
        { type: "tool_result", tool_use_id: "t2", content: "boom", is_error: true },
        { type: "text", text: "Go on." },
      ],
    },
    { role: "assistant", content: "Only a." },
  ],
  tools: [{ name: "search", description: "Finds.", input_schema: { type: "object" } }],
};
