import { afterEach, expect, test } from "vitest";
import { chatServers, failureOf, KEY } from "../../../../../test/support/chat-client.ts";
import { says, streams } from "../../../../../test/support/chat-server.ts";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { openChatModel } from "./chat-model.ts";

const hello: readonly Message[] = [{ role: "user", content: "hello" }];
const { start, closeAll } = chatServers();
afterEach(closeAll);

test("sends what was asked and reads what was said", async () => {
  const reply = says("hi", { logprobs: { content: [{ token: "hi", logprob: -0.5, top_logprobs: [] }] } });
  const { model, server } = await start([reply]);
  const messages: Message[] = [
    { role: "system", content: "be brief" },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", arguments: { at: "lamp" } }] },
    { role: "tool", content: "a lamp", toolCallId: "c1" },
  ];
  const tools = [{ name: "look", parameters: { type: "object" } }];
  const completion = await model.complete(messages, {
    maxTokens: 5,
    temperature: 0.5,
    stop: ["\n"],
    seed: 3,
    logprobs: true,
    tools,
  });
  expect(completion).toEqual({
    text: "hi",
    toolCalls: [],
    finishReason: "stop",
    logprobs: [{ text: "hi", logprob: -0.5 }],
    usage: { promptTokens: 10, completionTokens: 4, modelCalls: 1 },
    cached: false,
  });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatchObject({
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${KEY}` },
  });
  expect(server.requests[0]?.body).toEqual({
    model: "tiny",
    messages: [
      { role: "system", content: "be brief" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":"lamp"}' } }],
      },
      { role: "tool", content: "a lamp", tool_call_id: "c1" },
    ],
    max_tokens: 5,
    temperature: 0.5,
    stop: ["\n"],
    seed: 3,
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
    logprobs: true,
  });
});

test("tool calls, reasoning and endings come through; arguments that are no object stay text", async () => {
  const call = (id: string, text: string) => ({ id, type: "function", function: { name: "look", arguments: text } });
  const message = { content: null, reasoning_content: "hm", tool_calls: [call("a", '{"at":1}'), call("b", "[broken")] };
  const { model } = await start([
    says("", { message, finish_reason: "tool_calls" }),
    says("x", { finish_reason: "content_filter" }),
  ]);
  expect(await model.complete(hello)).toMatchObject({
    text: "",
    reasoning: "hm",
    finishReason: "tool-calls",
    toolCalls: [
      { id: "a", name: "look", arguments: { at: 1 } },
      { id: "b", name: "look", arguments: "[broken" },
    ],
  });
  expect(await model.complete(hello)).toMatchObject({ finishReason: "filtered" });
});

test("a stream gives the same as an answer in one piece", async () => {
  const delta = (content: object, more: object = {}) => ({ choices: [{ index: 0, delta: content, ...more }] });
  const { model, server } = await start(
    [
      streams([
        delta({ role: "assistant", content: "" }),
        delta({ content: "he" }, { logprobs: { content: [{ token: "he", logprob: -1 }] } }),
        delta({ content: "y" }, { logprobs: { content: [{ token: "y", logprob: -2 }] } }),
        delta({ tool_calls: [{ index: 0, id: "c", function: { name: "look", arguments: '{"a"' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
        delta({}, { finish_reason: "length" }),
        { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 5 } } },
      ]),
    ],
    {},
    { stream: true },
  );
  expect(await model.complete(hello)).toEqual({
    text: "hey",
    toolCalls: [{ id: "c", name: "look", arguments: { a: 1 } }],
    finishReason: "length",
    logprobs: [
      { text: "he", logprob: -1 },
      { text: "y", logprob: -2 },
    ],
    usage: { promptTokens: 7, completionTokens: 2, cachedTokens: 5, modelCalls: 1 },
    cached: false,
  });
  expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test("a call keeps its id where a server repeats it in every piece", async () => {
  const piece = (given: string): object => ({ index: 0, id: "c1", function: { arguments: given } });
  const deltas = [{ index: 0, id: "c1", function: { name: "look", arguments: "" } }, piece('{"a"'), piece(":1}")];
  const events = deltas.map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  const { model } = await start([streams([...events, end])], {}, { stream: true });
  expect((await model.complete(hello)).toolCalls).toEqual([{ id: "c1", name: "look", arguments: { a: 1 } }]);
});

test("a stream that breaks off is asked for again; one that was not wanted is no trouble", async () => {
  const broken = streams([{ choices: [{ delta: { content: "ha" } }] }]);
  const { model } = await start([broken, says("whole")], {}, { stream: true });
  expect(await model.complete(hello)).toMatchObject({ text: "whole" });
  expect(model.counters()).toMatchObject({ calls: 1, retries: 1, failures: 0 });
});

test("429 waits as long as the server asks, 500s wait longer each time", async () => {
  const { model, waits } = await start([
    { status: 429, headers: { "retry-after": "7" } },
    { status: 500, body: "oops" },
    { status: 503 },
    says("at last"),
  ]);
  expect((await model.complete(hello)).text).toBe("at last");
  // Retry-After: 7 s. Then 500 ms doubled once and twice, of which at least half.
  expect(waits[0]).toBe(7_000);
  expect(waits[1]).toBeGreaterThanOrEqual(500);
  expect(waits[1]).toBeLessThan(1_000);
  expect(waits[2]).toBeGreaterThanOrEqual(1_000);
  expect(waits[2]).toBeLessThan(2_000);
  expect(model.counters()).toEqual({
    calls: 1,
    retries: 3,
    failures: 0,
    cacheHits: 0,
    promptTokens: 10,
    completionTokens: 4,
    cachedTokens: 0,
    costUsd: 0,
    estimatedCalls: 0,
  });
});

test("Retry-After may be a date, and a rest that is too long is not waited for", async () => {
  const date = new Date(30_000).toUTCString();
  const first = await start([{ status: 503, headers: { "retry-after": date } }, says("ok")]);
  await first.model.complete(hello);
  expect(first.waits).toEqual([30_000]);
  const second = await start([{ status: 429, headers: { "retry-after": "3600" } }]);
  const error = await failureOf(second.model.complete(hello));
  expect(error.message).toContain(
    "asks for 3600000 ms of rest, more than maxRetryAfterMs (120000). Gave up after 1 attempt.",
  );
  expect(second.server.requests).toHaveLength(1);
});

test.each([
  ["garbage", { body: "<html>busy</html>" }, "it is not JSON but"],
  ["no choices", { body: { choices: [] } }, "there are no choices"],
  ["choices of another kind", { body: { choices: [{ text: "x" }] } }, "is not a chat completion"],
  ["a server error", { status: 500, body: `key ${KEY} is fine\u0007` }, "answered 500: key [key] is fine."],
])("%s to the end is a failure that names the server", async (_, answer, message) => {
  const { model, server } = await start([answer], { retry: { retries: 2 } });
  const error = await failureOf(model.complete(hello));
  expect(error.message).toContain(message);
  expect(error.message).toContain(`${server.baseUrl} (tiny)`);
  expect(error.message).toContain("Gave up after 3 attempts.");
  expect(server.requests).toHaveLength(3);
  expect(model.counters()).toMatchObject({ calls: 0, retries: 2, failures: 1 });
});

test("a wrong key is not tried again, and no key is ever shown", async () => {
  const body = { error: { message: `Incorrect API key provided: ${KEY}. Also not sk-abcdefgh12345.` } };
  const { model, server } = await start([{ status: 401, body }]);
  const error = await failureOf(model.complete(hello));
  expect(error).toMatchObject({ code: "chat-refused", details: { status: 401 } });
  expect(error.message).toContain("Incorrect API key provided: [key]. Also not [key].");
  expect(error.message).toContain("Check the key (LIMBECK_CHAT_API_KEY).");
  expect(server.requests).toHaveLength(1);
});

test("a key that cannot be sent, and a server that is not there, are failures without the key", async () => {
  const { model } = await start([says("x")], { retry: { retries: 0 } }, { apiKey: `${KEY}\nx` });
  expect((await failureOf(model.complete(hello))).message).toContain("could not be reached");
  const gone = await start([says("x")], { retry: { retries: 1 } });
  await gone.server.close();
  expect((await failureOf(gone.model.complete(hello))).message).toContain("Gave up after 2 attempts");
});

test("addresses that are none, and those that hold a password, are refused", () => {
  const open = (baseUrl: string) => () => openChatModel({ baseUrl, model: "m" });
  expect(open("localhost/v1")).toThrow('"localhost/v1" is not an address');
  expect(open("file:///etc/passwd")).toThrow("must begin with http");
  expect(open("http://me:hidden@host/v1")).toThrow("The address http://host/v1 holds a user name or password");
  expect(() => openChatModel({ baseUrl: "http://host", model: "" })).toThrow("has no name");
  expect(() => openChatModel("gpt" as never)).toThrow(
    "A chat model is {baseUrl, model, apiKey?}, a language model of the AI SDK",
  );
});
