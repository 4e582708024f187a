import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { chatServers, failureOf, KEY, testClock } from "../../../../../test/support/chat-client.ts";
import { says } from "../../../../../test/support/chat-server.ts";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { openChatModel } from "./chat-model.ts";

const hello: readonly Message[] = [{ role: "user", content: "hello" }];
const { start, closeAll } = chatServers();
afterEach(closeAll);

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
  expect((await failureOf(model.complete(hello, { maxTokens: 0 }))).message).toContain(
    "Option maxTokens of sample is 0",
  );
  expect((await failureOf(model.complete(hello, { temperature: -1 }))).message).toContain(
    "Option temperature of sample is -1",
  );
  expect(server.requests).toHaveLength(0);
  await expect(start([says("x")], { concurrency: 0 })).rejects.toThrow("Option concurrency of openChatModel is 0");
});
