import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  says,
  startChatServer,
  streams,
  type Answer,
  type ChatServerDouble,
} from "../../../test/support/chat-server.ts";
import { EngineError, errorData } from "../../base/index.ts";
import type { Message } from "../../trajectory/index.ts";
import type { ChatClock } from "./chat-clock.ts";
import { openChatModel, type ChatModelOptions } from "./chat-model.ts";
import type { ChatServer } from "./server.ts";

const KEY = "limbeck-secret-0123456789";
const hello: readonly Message[] = [{ role: "user", content: "hello" }];
const opened: ChatServerDouble[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** Waits of retries pass at once and are noted; time limits never pass unless `fire` is called. */
function testClock(now = 0) {
  const waits: number[] = [];
  const limits: (() => void)[] = [];
  const clock: ChatClock = {
    now: () => now,
    delay: (milliseconds, signal) => {
      if (milliseconds !== TIME_LIMIT) {
        waits.push(milliseconds);
        return Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        limits.push(resolve);
        signal?.addEventListener("abort", () => reject(new Error("over")), { once: true });
      });
    },
  };
  return { clock, waits, fire: () => limits.at(-1)?.() };
}
const TIME_LIMIT = 120_000;

async function start(answers: readonly Answer[], options: ChatModelOptions = {}, more: Partial<ChatServer> = {}) {
  const server = await startChatServer(...answers);
  opened.push(server);
  const time = testClock();
  const source = { baseUrl: server.baseUrl, apiKey: KEY, model: "tiny", ...more };
  return { server, ...time, model: openChatModel(source, { clock: time.clock, ...options }) };
}

/** The error, after making sure that the key is nowhere in it. */
async function failureOf(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EngineError)) throw new Error(`No engine error but ${String(error)}`);
  expect(JSON.stringify([errorData(error), error.stack, String(error.cause)])).not.toContain(KEY);
  return error;
}

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
  expect(() => openChatModel("gpt" as never)).toThrow("either {baseUrl, model, apiKey?} or a language model");
});

test("a slow server is given up when the time is over, and asked again", async () => {
  const { model, server, fire } = await start(["silent", says("awake")]);
  const reply = model.complete(hello);
  await server.arrived(1);
  fire();
  expect((await reply).text).toBe("awake");
  expect(model.counters()).toMatchObject({ calls: 1, retries: 1 });
});

test("a caller who cancels is not kept waiting, at the server or before it", async () => {
  const { model, server } = await start(["silent"], { concurrency: 1 });
  const [stop, stopWaiting] = [new AbortController(), new AbortController()];
  const running = model.complete(hello, { signal: stop.signal });
  await server.arrived(1);
  const queued = model.complete(hello, { signal: stopWaiting.signal });
  stopWaiting.abort();
  expect((await failureOf(queued)).code).toBe("cancelled");
  stop.abort();
  expect((await failureOf(running)).code).toBe("cancelled");
  expect((await failureOf(model.complete(hello, { signal: stop.signal }))).code).toBe("cancelled");
  expect(server.requests).toHaveLength(1);
  expect(model.counters()).toMatchObject({ calls: 0, retries: 0, failures: 0 });
});

test("no more calls are in flight than allowed", async () => {
  let inFlight = 0;
  let most = 0;
  const source = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "m",
    doGenerate: async () => {
      most = Math.max(most, (inFlight += 1));
      await Promise.resolve();
      inFlight -= 1;
      return { content: [{ type: "text", text: "x" }], finishReason: { unified: "stop" }, usage: {} };
    },
  };
  const model = openChatModel(source, { concurrency: 3, clock: testClock().clock });
  await Promise.all(Array.from({ length: 20 }, () => model.complete(hello)));
  expect([most, model.counters().calls]).toEqual([3, 20]);
});

test("budgets are kept, and the error names the one that is spent", async () => {
  const tokens = await start([says("x")], { budget: { tokens: 30 } });
  await tokens.model.complete(hello, { maxTokens: 10 });
  // 14 are spent. 14 + 17 > 30 is refused before it is sent, 14 + 16 is not.
  expect((await failureOf(tokens.model.complete(hello, { maxTokens: 17 }))).message).toContain(
    'budget "tokens" allows 30; 14 are spent',
  );
  await tokens.model.complete(hello, { maxTokens: 16 });
  expect(tokens.server.requests).toHaveLength(2);

  const prices = { promptPerMillionUsd: 1, completionPerMillionUsd: 10 };
  const money = await start([says("x")], { budget: { costUsd: 0.00009 }, prices });
  // 10 * 1 + 4 * 10 = 50 millionths; a second call of at most 4 tokens may take 40 more: 90; a third finds 100 spent.
  expect((await money.model.complete(hello, { maxTokens: 4 })).usage.costUsd).toBeCloseTo(0.00005, 12);
  await money.model.complete(hello, { maxTokens: 4 });
  expect((await failureOf(money.model.complete(hello))).message).toContain(
    'budget "costUsd" allows 0.00009; 0.0001 are spent',
  );

  const calls = await start([says("x")], { budget: { calls: 0 } });
  expect(await failureOf(calls.model.complete(hello))).toMatchObject({
    code: "chat-budget-spent",
    details: { budget: "calls" },
  });
  await expect(start([says("x")], { budget: { costUsd: 1 } })).rejects.toThrow("cannot be kept without `prices`");
});

test("calls in flight hold their part of the budget", async () => {
  const { model, server } = await start(["silent"], { budget: { tokens: 100 } });
  const stop = new AbortController();
  const running = model.complete(hello, { maxTokens: 60, signal: stop.signal });
  await server.arrived(1);
  expect((await failureOf(model.complete(hello, { maxTokens: 60 }))).message).toContain("60 are spent or promised");
  stop.abort();
  await failureOf(running);
});

test("a server that does not count is counted by bytes", async () => {
  const { model } = await start([{ body: { choices: [{ message: { content: "x" } }] } }]);
  expect((await model.complete(hello)).usage).toEqual({ modelCalls: 1 });
  const { estimatedCalls, promptTokens } = model.counters();
  // [{"role":"user","content":"hello"}] has 35 bytes: 9 tokens of four.
  expect([estimatedCalls, promptTokens]).toEqual([1, 9]);
});

test("the same question is asked once, in memory and from a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-chat-"));
  try {
    const { model, server } = await start([says("one"), says("two"), says("three")], { cache: { folder } });
    expect(await model.complete(hello, { seed: 1, topP: 0.5 })).toMatchObject({ text: "one", cached: false });
    expect(await model.complete(hello, { topP: 0.5, seed: 1 })).toEqual({
      text: "one",
      toolCalls: [],
      finishReason: "stop",
      usage: { promptTokens: 0, completionTokens: 0, modelCalls: 0 },
      cached: true,
    });
    expect(await model.complete(hello, { seed: 2, topP: 0.5 })).toMatchObject({ text: "two" });
    expect(model.counters()).toMatchObject({ calls: 2, cacheHits: 1 });

    const source = { baseUrl: server.baseUrl, apiKey: "another key", model: "tiny" };
    const later = openChatModel(source, { cache: { folder }, clock: testClock().clock });
    expect(await later.complete(hello, { seed: 1, topP: 0.5 })).toMatchObject({ text: "one", cached: true });
    const files = await readdir(folder);
    expect(files).toHaveLength(2);
    for (const file of files) {
      expect(await readFile(join(folder, file), "utf8")).not.toContain(KEY);
      await writeFile(join(folder, file), "half a fi");
    }
    const third = openChatModel(source, { cache: { folder }, clock: testClock().clock });
    expect(await third.complete(hello, { seed: 1, topP: 0.5 })).toMatchObject({ text: "three", cached: false });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("nothing to answer and options that cannot be are refused before anything is sent", async () => {
  const { model, server } = await start([says("x")]);
  expect((await failureOf(model.complete([]))).code).toBe("empty-prompt");
  expect((await failureOf(model.complete(hello, { maxTokens: 0 }))).message).toContain("maxTokens is 0");
  expect((await failureOf(model.complete(hello, { temperature: -1 }))).message).toContain("temperature is -1");
  expect(server.requests).toHaveLength(0);
  await expect(start([says("x")], { concurrency: 0 })).rejects.toThrow("concurrency is 0");
});
