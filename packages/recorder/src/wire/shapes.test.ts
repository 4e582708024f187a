import fc from "fast-check";
import { expect, test } from "vitest";
import { createAnswerReader } from "./answer-reader.ts";
import type { JsonObject } from "../lines.ts";
import type { Shape } from "./shape.ts";
import { shapeOf } from "./shapes.ts";
import { Threads } from "../call-book.ts";

const shape = (path: string): Shape => shapeOf(path) as Shape;
const events = (...list: readonly object[]): string =>
  list.map((item) => `event: x\r\ndata: ${JSON.stringify(item)}\r\n\r\n`).join("");

test("finds the interface by the end of the path", () => {
  expect(["/v1/chat/completions?x=1", "/api/v1/messages/", "/v1/responses"].map((path) => shapeOf(path)?.path)).toEqual(
    ["/chat/completions", "/messages", "/responses"],
  );
  expect(["/v1/models", "/v1/embeddings", "/v1/messages/batches"].map(shapeOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a role is one of ours, whatever word a request has for it", () => {
  const messages = Object.getOwnPropertyNames(Object.prototype).map((role) => ({ role, content: "hello" }));
  const { messages: read } = shape("/v1/chat/completions").asked({ messages });
  expect(read).toEqual(messages.map(() => ({ role: "user", content: "hello" })));
});

test("OpenAI responses: instructions, items, calls and results, whole and streamed, complete and broken off", () => {
  const responses = shape("/v1/responses");
  const asked = responses.asked({
    model: "m",
    instructions: "Be brief.",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Is it open?" }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "look first" }] },
      { type: "function_call", call_id: "c1", name: "look", arguments: '{"at":"door"}' },
      { type: "function_call", call_id: "c2", name: "look", arguments: "{broken" },
      { type: "function_call_output", call_id: "c1", output: "open" },
    ],
    tools: [{ type: "function", name: "look", parameters: { type: "object" } }],
  });
  expect(asked.messages).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Is it open?" },
    {
      role: "assistant",
      content: "",
      reasoning: "look first",
      toolCalls: [
        { id: "c1", name: "look", arguments: { at: "door" } },
        { id: "c2", name: "look", arguments: "{broken" },
      ],
    },
    { role: "tool", content: "open", toolCallId: "c1" },
  ]);
  expect(asked.tools).toEqual([{ type: "function", function: { name: "look", parameters: { type: "object" } } }]);
  const response = {
    status: "completed",
    model: "m-2026",
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes.", annotations: [] }] }],
    usage: { input_tokens: 9, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } },
  };
  const whole = { reply: { role: "assistant", content: "Yes." }, finish: "completed", complete: true, model: "m-2026" };
  const usage = { promptTokens: 9, completionTokens: 2, cachedTokens: 4 };
  expect(responses.answered(response)).toEqual({ ...whole, usage });
  const reader = createAnswerReader(responses, 200, "text/event-stream");
  const text = events({ type: "response.output_text.delta", delta: "Ye" }, { type: "response.completed", response });
  for (const letter of text) reader.push(letter);
  expect(reader.end(true)).toEqual({ ...whole, usage });
  const half = createAnswerReader(responses, 200, "text/event-stream");
  half.push(
    events({ type: "response.created", response: { model: "m" } }, { type: "response.output_text.delta", delta: "Ye" }),
  );
  expect(half.end(false)).toMatchObject({ reply: { content: "Ye" }, complete: false });
});

test("Anthropic: thinking, cache marks, several results in one message, errors inside a stream", () => {
  const messages = shape("/v1/messages");
  const asked = messages.asked({
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "tool_use", id: "1", name: "a", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "r" }] },
          { type: "text", text: "and?" },
        ],
      },
    ],
  });
  expect(asked.messages).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "hi" },
    { role: "assistant", content: "", reasoning: "hm", toolCalls: [{ id: "1", name: "a", arguments: {} }] },
    { role: "tool", content: "r", toolCallId: "1" },
    { role: "user", content: "and?" },
  ]);
  // 10 read anew, 90 from the cache: a prompt of 100.
  expect(
    messages.answered({ content: [], usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } })
      .usage,
  ).toEqual({
    promptTokens: 100,
    completionTokens: 1,
    cachedTokens: 90,
  });
  const reader = createAnswerReader(messages, 200, "text/event-stream");
  const error = { type: "overloaded_error", message: "try later" };
  reader.push(
    events({ type: "message_start", message: { model: "m", usage: { input_tokens: 3 } } }, { type: "error", error }),
  );
  expect(reader.end(true)).toMatchObject({
    error: { code: "overloaded_error", message: "try later" },
    complete: false,
  });
});

test.each(["/chat/completions", "/messages", "/responses"])("%s: no JSON makes a reader throw", (path) => {
  const words = [
    "messages",
    "content",
    "role",
    "tool_calls",
    "type",
    "text",
    "delta",
    "choices",
    "input",
    "output",
    "usage",
    "index",
    "content_block",
    "tool_use",
    "message_start",
    "content_block_delta",
  ];
  const json = fc.jsonValue({ maxDepth: 4 });
  const shaped = fc.dictionary(
    fc.constantFrom(...words),
    fc.oneof(json, fc.constantFrom(...words), fc.array(fc.dictionary(fc.constantFrom(...words), json))),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(shaped, { maxLength: 5 }), (bodies) => {
      const own = shape(path);
      const stream = own.stream();
      for (const body of bodies as unknown as JsonObject[]) {
        own.asked(body);
        own.answered(body);
        stream.event(body);
      }
      stream.answer();
    }),
    { numRuns: 50 },
  );
});

test("what is remembered stays bounded, and what was forgotten starts anew", () => {
  let ids = 0;
  const threads = new Threads({ newId: () => `t${(ids += 1)}`, remembered: 2, rememberedLetters: 100 });
  const say = (text: string): string => {
    const placed = threads.place(`call ${text}`, [{ role: "user", content: text }], undefined);
    placed.answered({ role: "assistant", content: `re ${text}` });
    return placed.trajectory;
  };
  const goOn = (text: string): string =>
    threads.place(
      `more ${text}`,
      [
        { role: "user", content: text },
        { role: "assistant", content: `re ${text}` },
        { role: "user", content: "and?" },
      ],
      undefined,
    ).trajectory;
  expect([say("a"), say("b"), goOn("a")]).toEqual(["t1", "t2", "t1"]);
  // A third trajectory: "b" was quiet longest.
  expect([say("c"), goOn("b"), goOn("c")]).toEqual(["t3", "t4", "t3"]);
  // 200 letters are more than may be remembered: all the others go.
  expect([say("x".repeat(200)), goOn("c")]).toEqual(["t5", "t6"]);
});
