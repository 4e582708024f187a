import { afterEach, expect, test } from "vitest";
import { says, startChatServer, type Answer, type ChatServerDouble } from "../../../../../test/support/chat-server.ts";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { openChatModel } from "./chat-model.ts";
import { createChatPolicy, type ChatPolicyOptions } from "./chat-policy.ts";
import { chatServerFrom, type ChatServer } from "./server.ts";

const opened: ChatServerDouble[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function start(answers: readonly Answer[], options: ChatPolicyOptions = {}, more: Partial<ChatServer> = {}) {
  const server = await startChatServer(...answers);
  opened.push(server);
  const model = openChatModel({ baseUrl: server.baseUrl, model: "tiny", ...more }, { retry: { retries: 0 } });
  return { server, policy: createChatPolicy(model, options) };
}

const user = (content: string): Message => ({ role: "user", content });
/** Says its own seed, so that what a conversation draws can be seen. */
const saysSeed: Answer = ({ body }) => says(String(body["seed"]));

test("a conversation grows by what is read and said", async () => {
  const { policy, server } = await start([says("one"), says("two")], { system: "be brief", version: 3, name: "judge" });
  expect(policy.ref).toEqual({ name: "judge", version: 3, model: "tiny" });
  const talk = policy.open({ seed: 1 });
  await expect(talk.sample({ maxTokens: 5 })).rejects.toMatchObject({ code: "empty-prompt" });
  talk.extend([user("hello")]);
  expect(await talk.sample({ maxTokens: 5, temperature: 0.7 })).toEqual({
    text: "one",
    usage: { promptTokens: 10, completionTokens: 4, modelCalls: 1 },
    version: 3,
    ending: "stop",
  });
  talk.extend([user("and now?")]);
  await talk.sample({ maxTokens: 5 });
  const all = [
    { role: "system", content: "be brief" },
    { role: "user", content: "hello" },
    { role: "assistant", content: "one" },
    { role: "user", content: "and now?" },
    { role: "assistant", content: "two" },
  ];
  expect(talk.messages).toEqual(all);
  expect(server.requests[1]?.body).toMatchObject({ messages: all.slice(0, 4), max_tokens: 5 });
});

test("seeds belong to conversations: the same again, others for forks, whatever the company", async () => {
  const { policy } = await start([saysSeed]);
  const speak = async (seed: number, label?: string): Promise<string[]> => {
    const talk = policy.open({ seed });
    talk.extend([user("hello")]);
    const first = await talk.sample({ maxTokens: 5 });
    const next = label === undefined ? talk : talk.fork(label);
    next.extend([user("again")]);
    const second = await next.sample({ maxTokens: 5 });
    expect(talk.messages).toHaveLength(label === undefined ? 4 : 2);
    return [first.text, second.text];
  };
  const [alone, forked] = [await speak(1), await speak(1, "a")];
  expect(await Promise.all([speak(2), speak(1), speak(1, "a")])).toEqual([await speak(2), alone, forked]);
  expect(alone[0]).toBe(forked[0]);
  expect(new Set([...alone, ...forked, ...(await speak(1, "b"))]).size).toBe(4);
});

test("a reply that failed leaves the conversation as it was, and can be asked for again", async () => {
  const { policy, server } = await start([{ status: 500 }, saysSeed]);
  const talk = policy.open({ seed: 5 });
  talk.extend([user("hello")]);
  await expect(talk.sample({ maxTokens: 5 })).rejects.toMatchObject({ code: "chat-failed" });
  expect(talk.messages).toEqual([user("hello")]);
  const { text } = await talk.sample({ maxTokens: 5 });
  expect(text).toBe(String(server.requests[0]?.body["seed"]));
});

test("closing ends what is in flight; a busy or closed conversation refuses", async () => {
  const { policy, server } = await start(["silent"]);
  const [first, second] = [policy.open(), policy.open()];
  for (const talk of [first, second]) talk.extend([user("hello")]);
  const replies = [first.sample({ maxTokens: 5 }), second.sample({ maxTokens: 5 })];
  await server.arrived(2);
  expect(() => first.extend([user("more")])).toThrow("is sampling");
  expect(() => first.fork(1)).toThrow("is sampling");
  await expect(first.sample({ maxTokens: 5 })).rejects.toMatchObject({ code: "conversation-busy" });
  first.close();
  await expect(replies[0]).rejects.toMatchObject({ code: "cancelled" });
  await policy.close();
  await expect(replies[1]).rejects.toMatchObject({ code: "cancelled" });
  await expect(first.sample({ maxTokens: 5 })).rejects.toMatchObject({ code: "conversation-closed" });
});

test("log-probabilities are asked for when wanted, and seeds can be kept back", async () => {
  const reply = says("hi", { logprobs: { content: [{ token: "hi", logprob: -0.25 }] } });
  const { policy, server } = await start([reply, says("hi")], { logprobs: true, sendSeed: false });
  const talk = policy.open();
  talk.extend([user("hello")]);
  expect((await talk.sample({ maxTokens: 5 })).logprobs).toEqual([{ text: "hi", logprob: -0.25 }]);
  expect(await talk.sample({ maxTokens: 5 })).not.toHaveProperty("logprobs");
  expect(server.requests[0]?.body).toMatchObject({ logprobs: true });
  expect(server.requests[0]?.body).not.toHaveProperty("seed");
});

test("the environment names the server", () => {
  const environment = { LIMBECK_CHAT_BASE_URL: "http://host/v1", LIMBECK_CHAT_MODEL: "m", LIMBECK_CHAT_API_KEY: " k " };
  expect(chatServerFrom(environment)).toEqual({ baseUrl: "http://host/v1", model: "m", apiKey: "k" });
  expect(chatServerFrom({ ...environment, LIMBECK_CHAT_API_KEY: "" })).toEqual({
    baseUrl: "http://host/v1",
    model: "m",
  });
  expect(() => chatServerFrom({ ...environment, LIMBECK_CHAT_MODEL: undefined })).toThrow(
    "LIMBECK_CHAT_MODEL is missing",
  );
});
