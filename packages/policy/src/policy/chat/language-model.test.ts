import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { afterEach, expect, test } from "vitest";
import { says, startChatServer, type Answer, type ChatServerDouble } from "../../../../../test/support/chat-server.ts";
import { errorData } from "limbeck-base/base/errors";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { openChatModel } from "./chat-model.ts";
import type { SdkLanguageModel } from "./language-model.ts";

const KEY = "sdk-secret-0123456789";
const hello: readonly Message[] = [{ role: "user", content: "hello" }];
const opened: ChatServerDouble[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

const waits: number[] = [];
const clock = {
  now: () => 0,
  delay: (milliseconds: number, signal: AbortSignal | undefined) => {
    waits.push(milliseconds);
    // Time limits (a minute and more) never pass here, waits of retries at once.
    return milliseconds < 60_000
      ? Promise.resolve()
      : new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(new Error("over"))));
  },
};

/** A model of the AI SDK itself, in front of a server of our own. */
async function start(...answers: Answer[]) {
  const server = await startChatServer(...answers);
  opened.push(server);
  const provider = createOpenAICompatible({ name: "house", baseURL: server.baseUrl, apiKey: KEY });
  return { server, model: openChatModel(provider("tiny"), { clock, retry: { retries: 2 } }) };
}

test("a model of the AI SDK speaks, calls tools and is counted", async () => {
  const call = { id: "c2", type: "function", function: { name: "look", arguments: '{"at":"door"}' } };
  const message = { role: "assistant", content: "well", reasoning_content: "hm", tool_calls: [call] };
  const { model, server } = await start(says("", { message, finish_reason: "tool_calls" }));
  const messages: Message[] = [
    { role: "system", content: "be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "what " },
        { type: "text", text: "now?" },
      ],
    },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "look", arguments: { at: "lamp" } }] },
    { role: "tool", content: "a lamp", toolCallId: "c1" },
  ];
  const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
  expect(
    await model.complete(messages, { maxTokens: 9, temperature: 0, topP: 0.9, stop: ["."], seed: 4, tools }),
  ).toEqual({
    text: "well",
    reasoning: "hm",
    toolCalls: [{ id: "c2", name: "look", arguments: { at: "door" } }],
    finishReason: "tool-calls",
    usage: { promptTokens: 10, completionTokens: 4, cachedTokens: 0, modelCalls: 1 },
    cached: false,
  });
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(server.requests[0]?.body).toMatchObject({
    model: "tiny",
    max_tokens: 9,
    temperature: 0,
    top_p: 0.9,
    stop: ["."],
    seed: 4,
    messages: [
      { role: "system", content: "be brief" },
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "c1", function: { name: "look", arguments: '{"at":"lamp"}' } }] },
      { role: "tool", content: "a lamp", tool_call_id: "c1" },
    ],
    tools: [{ type: "function", function: { name: "look", description: "Looks." } }],
  });
});

test("its failures are retried or not as the SDK says, with Retry-After, and without keys", async () => {
  const { model, server } = await start(
    { status: 429, headers: { "retry-after": "9" }, body: { error: { message: "slow down" } } },
    says("ok"),
  );
  expect((await model.complete(hello)).text).toBe("ok");
  expect(waits).toContain(9_000);
  expect(server.requests).toHaveLength(2);

  const wrong = await start({ status: 401, body: { error: { message: `no such key: Bearer ${KEY}` } } });
  const error: unknown = await wrong.model.complete(hello).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "chat-refused", details: { status: 401 } });
  expect(JSON.stringify(errorData(error))).not.toContain(KEY);
  expect(wrong.server.requests).toHaveLength(1);
});

/** What models of the other specifications answer, as far as it differs. */
const shapes: Record<string, object> = {
  v2: { finishReason: "length", usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5, cachedInputTokens: 1 } },
  v3: {
    finishReason: { unified: "length", raw: "length" },
    usage: { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 2 } },
  },
  v4: {
    finishReason: { unified: "length", raw: "max" },
    usage: { inputTokens: { total: 3, cacheRead: 1 }, outputTokens: { total: 2 } },
    warnings: [],
  },
};

test.each(Object.entries(shapes))("understands specification %s", async (specificationVersion, shape) => {
  const content = [
    { type: "reasoning", text: "a" },
    { type: "text", text: "b" },
    { type: "source", url: "u" },
    { type: "text", text: "c" },
  ];
  const model: SdkLanguageModel = {
    specificationVersion,
    provider: "test",
    modelId: "m",
    doGenerate: () => Promise.resolve({ content, ...shape }),
  };
  expect(await openChatModel(model, { clock }).complete(hello)).toEqual({
    text: "bc",
    reasoning: "a",
    toolCalls: [],
    finishReason: "length",
    usage: { promptTokens: 3, completionTokens: 2, cachedTokens: 1, modelCalls: 1 },
    cached: false,
  });
});

test("what the SDK cannot do is refused by name, and nonsense is a bad response", async () => {
  const model = (answer: unknown): SdkLanguageModel => ({
    specificationVersion: "v3",
    provider: "test",
    modelId: "m",
    doGenerate: () => Promise.resolve(answer),
  });
  const open = (answer: unknown) => openChatModel(model(answer), { clock, retry: { retries: 1 } });
  await expect(open({}).complete(hello, { minP: 0.1 })).rejects.toThrow("the AI SDK has no minP");
  await expect(open({}).complete([{ role: "user", content: [{ type: "image_url" }] }])).rejects.toThrow(
    "a part that is not text",
  );
  await expect(open({}).scoreText([{ messages: hello, reply: "x" }])).rejects.toMatchObject({ code: "no-logprobs" });
  for (const nonsense of [
    null,
    "text",
    {},
    { content: [{ type: "text", text: 7 }] },
    { content: [], finishReason: "error" },
  ]) {
    await expect(open(nonsense).complete(hello)).rejects.toMatchObject({
      code: "chat-bad-response",
      details: { attempts: 2 },
    });
  }
});
