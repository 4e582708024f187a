import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forest } from "../../../../../test/support/forests.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { JsonObject } from "limbeck-base/base/json";
import { chatLine, readLine } from "./chat.ts";
import { formatContract } from "./format.contract.ts";
import type { Skip } from "./source.ts";
import { openaiChat } from "./openai-chat.ts";

const place = { file: "chat.jsonl", line: 1 };
const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: "grapheme", maxLength: 8 }));
const json = fc.dictionary(
  text.filter((key) => key !== "__proto__"),
  fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
  { maxKeys: 3, noNullPrototype: true },
);
const sometimes: { noNullPrototype: true; requiredKeys: ("role" | "content")[] } = {
  noNullPrototype: true,
  requiredKeys: ["role", "content"],
};
const part = fc.oneof(
  text.map((value) => ({ type: "text", text: value })),
  text.map((url) => ({ type: "image_url", image_url: { url, detail: "low" } })),
  json,
);
const content = fc.oneof(text, fc.array(part, { maxLength: 3 }), fc.constant(null));
const call = fc.record(
  {
    id: text,
    type: fc.constant("function"),
    function: fc.record(
      {
        name: text,
        // Written by machines with and without spaces, and by models that cannot count brackets.
        arguments: fc.oneof(
          json.map((value) => JSON.stringify(value)),
          json.map((value) => JSON.stringify(value, null, 1)),
          text,
        ),
      },
      { noNullPrototype: true },
    ),
  },
  { noNullPrototype: true },
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "developer", "user"), content, name: text, cache: json }, sometimes),
  fc.record(
    {
      role: fc.constant("assistant"),
      content,
      tool_calls: fc.array(call, { maxLength: 3 }),
      reasoning_content: fc.oneof(text, fc.constant(null)),
      reasoning: text,
      refusal: fc.oneof(text, fc.constant(null)),
      weight: fc.constantFrom(0, 1),
      function_call: fc.record({ name: text, arguments: text }, { noNullPrototype: true }),
    },
    sometimes,
  ),
  fc.record({ role: fc.constantFrom("tool", "function"), content, tool_call_id: text, name: text }, sometimes),
);
const line = fc.record(
  {
    messages: fc.array(message, { maxLength: 8 }),
    tools: fc.array(json, { maxLength: 2 }),
    id: fc.oneof(text, fc.integer()),
    metadata: json,
    reward: fc.integer(),
    $odd: text,
  },
  { noNullPrototype: true, requiredKeys: ["messages"] },
);

describe("openai-chat", () => {
  formatContract(openaiChat, {
    line: (number) =>
      `{"messages":[{"role":"user","content":"hi ${number}"},{"role":"assistant","content":"yes"}],"source":"somewhere"}`,
    wrongShape: '{"conversations":[]}',
    folders: false,
  });

  test("any conversation in this shape comes back as it was", () => {
    fc.assert(
      fc.property(line, (value) => {
        const trajectory = readLine(value, place);
        expect(validateForest([trajectory])).toEqual([]);
        expect(chatLine(trajectory, "openai")).toEqual(value);
      }),
      { numRuns: 400 },
    );
  });

  test("tool calls, reasoning and results become steps", () => {
    const trajectory = readLine(weather, place);
    expect(trajectory.steps.map((step) => [step.observation, step.action])).toEqual([
      ["Is it warm in Oslo or Bergen?", 'weather({"city":"Oslo"})\nweather({"city":"Bergen"})'],
      ["4\n{bad", "Both are cold."],
    ]);
    expect(trajectory.steps[0]?.reply).toEqual({
      role: "assistant",
      content: "",
      reasoning: "Ask twice.",
      toolCalls: [
        { id: "c1", name: "weather", arguments: { city: "Oslo" } },
        { id: "c2", name: "weather", arguments: { city: "Bergen" } },
      ],
    });
    expect(trajectory).toMatchObject({ id: "w-1", reward: { kind: "scored", value: 0.5 }, success: true });
    expect(trajectory.closing?.observation).toBe("Thanks.");
  });

  test("malformed arguments stay raw text", () => {
    const broken = { id: "c", type: "function", function: { name: "f", arguments: '{"city": "Os' } };
    const trajectory = readLine({ messages: [{ role: "assistant", content: null, tool_calls: [broken] }] }, place);
    expect(trajectory.steps[0]?.reply?.toolCalls).toEqual([{ id: "c", name: "f", arguments: '{"city": "Os' }]);
    expect(trajectory.steps[0]?.action).toBe('f({"city": "Os)');
  });

  test("a conversation without a reply is kept, with a note", () => {
    const trajectory = readLine({ messages: [{ role: "user", content: "hello?" }] }, place);
    expect(trajectory.steps).toEqual([]);
    expect(trajectory.closing?.observation).toBe("hello?");
    expect(trajectory.info).toEqual({
      chat: { dialect: "openai", note: "The conversation has no assistant message." },
    });
  });

  test("the same content has the same id, whatever the order of its keys", () => {
    const first = readLine({ messages: [{ role: "user", content: "x" }], tag: 1 }, place);
    const second = readLine({ tag: 1, messages: [{ content: "x", role: "user" }] }, place);
    expect(first.id).toBe(second.id);
  });

  test("what cannot be read says which part is wrong", () => {
    const bad =
      (value: unknown): (() => unknown) =>
      () =>
        readLine(value, place);
    expect(bad([])).toThrow('"chat.jsonl", line 1: a line must be an object');
    expect(bad({ messages: [{ role: "wizard", content: "" }] })).toThrow(
      'role "wizard" is not one of system, developer',
    );
    expect(bad({ messages: [{ role: "user", content: 7 }] })).toThrow("content is neither a text");
    expect(bad({ messages: [{ role: "assistant", content: "", tool_calls: [{}] }] })).toThrow("no function name");
  });

  test("a line that is nested too deeply is a fault, not a crash", async () => {
    const folder = await mkdtemp(join(tmpdir(), "limbeck-deep-"));
    const path = join(folder, "deep.jsonl");
    await writeFile(path, `{"messages":[],"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
    const codes: string[] = [];
    const kept: unknown[] = [];
    const options = { lenient: true, onSkip: (skip: Skip) => codes.push(skip.code) };
    for await (const trajectory of openaiChat.read(path, options)) kept.push(trajectory);
    await rm(folder, { recursive: true });
    expect([kept, codes]).toEqual([[], ["too-deep"]]);
  });

  test("any forest can be exported, and read back as the chat it was", () => {
    fc.assert(
      fc.property(forest, (trajectories) => {
        for (const trajectory of trajectories) {
          const value = JSON.parse(JSON.stringify(chatLine(trajectory, "openai"))) as JsonObject;
          expect(chatLine(readLine(value, place), "openai")).toEqual(value);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const weather = {
  id: "w-1",
  reward: 0.5,
  success: true,
  messages: [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "Is it warm in Oslo or Bergen?" },
    {
      role: "assistant",
      content: null,
      reasoning_content: "Ask twice.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        { id: "c2", type: "function", function: { name: "weather", arguments: '{"city":"Bergen"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "4" },
    { role: "tool", tool_call_id: "c2", content: "{bad" },
    { role: "assistant", content: "Both are cold." },
    { role: "user", content: "Thanks." },
  ],
};

test("an outcome that the line told is written as it is now known, after feedback too", () => {
  const messages = [
    { role: "user", content: "Is it open?" },
    { role: "assistant", content: "Yes." },
  ];
  const told = (line: JsonObject): JsonObject =>
    chatLine({ ...readLine(line, place), reward: scored(0.75), success: true }, "openai");
  const full = { messages, reward: 0, success: false, note: "kept" };
  expect(told(full)).toEqual({ ...full, reward: 0.75, success: true });
  expect(told({ messages, reward: null, score: 0 })).toEqual({ messages, reward: null, score: 0.75 });
  // What the line did not tell is not added: other readers of such files may not expect it.
  expect(told({ messages, id: "a" })).toEqual({ messages, id: "a" });
  expect(chatLine({ ...readLine(full, place), reward: unscored("lost"), success: null }, "openai")).toEqual(full);
});
