import { afterEach, expect, test } from "vitest";
import {
  says,
  startChatServer,
  type Answer,
  type ChatServerDouble,
  type SeenRequest,
} from "../../../../../test/support/chat-server.ts";
import { openChatModel } from "./chat-model.ts";
import type { ChatServer } from "./server.ts";

const opened: ChatServerDouble[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function start(answer: Answer, more: Partial<ChatServer> = {}) {
  const server = await startChatServer(answer);
  opened.push(server);
  return {
    server,
    model: openChatModel({ baseUrl: server.baseUrl, model: "tiny", ...more }, { retry: { retries: 0 } }),
  };
}

interface Turn {
  readonly role: string;
  readonly content: string;
}

/** A tokenizer of words: one token for each role and each word, with log-probability minus its place over ten. */
function promptLogprobs(messages: readonly Turn[], opens: boolean): (object | null)[] {
  const words = messages.flatMap(({ role, content }) => [`<${role}>`, ...content.split(/(?=\s)/)]);
  const tokens = opens ? [...words, "<assistant>"] : words;
  return tokens.map((token, at) =>
    at === 0 ? null : { [Buffer.from(token).toString("hex")]: { logprob: -at / 10, rank: 1, decoded_token: token } },
  );
}

const vllm =
  (rewrite: (turns: readonly Turn[]) => readonly Turn[] = (turns) => turns) =>
  ({ body }: SeenRequest) => {
    const places = promptLogprobs(rewrite(body["messages"] as Turn[]), body["add_generation_prompt"] === true);
    const usage = { prompt_tokens: places.length, completion_tokens: 1 };
    return { body: { ...(says("x").body as object), usage, prompt_logprobs: places } };
  };

const messages = [
  { role: "system", content: "be brief" },
  { role: "user", content: "hello" },
] as const;

test("vLLM: the tokens of the reply are those after the prompt", async () => {
  const { model, server } = await start(vllm());
  // <system> be brief <user> hello <assistant>: six tokens; the reply stands at places 6 and 7.
  const rows = [
    { messages, reply: "good day" },
    { messages: messages.slice(1), reply: "hi" },
  ];
  expect(await model.scoreText(rows)).toEqual([
    [
      { text: "good", logprob: -0.6 },
      { text: " day", logprob: -0.7 },
    ],
    [{ text: "hi", logprob: -0.3 }],
  ]);
  expect(server.requests).toHaveLength(4);
  expect(server.requests[0]?.body).toMatchObject({ max_tokens: 1, prompt_logprobs: 0, model: "tiny" });
  // Prompts of 6 + 8 and 3 + 4 tokens.
  expect(model.counters()).toMatchObject({ calls: 2, promptTokens: 21 });
});

test("a server without them, and a template that changes what it reads, are refused by name", async () => {
  const row = { messages, reply: "good day" };
  const none = await start(says("x"));
  await expect(none.model.scoreText([row])).rejects.toThrow(
    "does not return log-probabilities of given text (asked by `prompt_logprobs`)",
  );
  const forgets = await start(vllm((turns) => (turns.length > 2 ? turns.slice(1) : turns)));
  await expect(forgets.model.scoreText([row])).rejects.toMatchObject({ code: "score-mismatch" });
  const shouts = await start(
    vllm((turns) => turns.map((turn) => ({ ...turn, content: turn.role === "assistant" ? "GOOD" : turn.content }))),
  );
  await expect(shouts.model.scoreText([row])).rejects.toThrow('scored "GOOD" where the reply is "good day"');
});

test("echo: the tokens of the reply are those from its first letter on", async () => {
  const render = (turns: readonly { readonly content: unknown }[]) =>
    `${turns.map(({ content }) => String(content)).join("|")}>`;
  const echo = (tokens: readonly string[]) => ({
    body: {
      choices: [
        {
          text: tokens.join(""),
          logprobs: {
            tokens,
            token_logprobs: tokens.map((_, at) => (at === 0 ? null : -at)),
            text_offset: tokens.map((_, at) => tokens.slice(0, at).join("").length),
          },
        },
      ],
      usage: { prompt_tokens: tokens.length, completion_tokens: 0 },
    },
  });
  const good = await start(echo(["be brief", "|hello", ">", "good", " day"]), { render });
  expect(await good.model.scoreText([{ messages, reply: "good day" }])).toEqual([
    [
      { text: "good", logprob: -3 },
      { text: " day", logprob: -4 },
    ],
  ]);
  expect(good.server.requests[0]).toMatchObject({
    path: "/v1/completions",
    body: { prompt: "be brief|hello>good day", echo: true, max_tokens: 0 },
  });
  const joined = await start(echo(["be brief", "|hello", ">good", " day"]), { render });
  await expect(joined.model.scoreText([{ messages, reply: "good day" }])).rejects.toThrow(
    "no token begins where the reply does (character 15)",
  );
  const none = await start(says("x"), { render });
  await expect(none.model.scoreText([{ messages, reply: "good day" }])).rejects.toMatchObject({ code: "no-logprobs" });
});
