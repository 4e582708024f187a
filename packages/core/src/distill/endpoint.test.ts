import { afterEach, expect, test } from "vitest";
import { startChatServer, type ChatServerDouble, type SeenRequest } from "../../../../test/support/chat-server.ts";
import { taughtModel } from "../../../../test/support/taught-model.ts";
import { tinyTokenizer } from "../../../../test/support/tiny-folder.ts";
import { createTokenizer } from "limbeck-policy/policy/local/tokenizer";
import { openTeacher } from "./index.ts";

const opened: ChatServerDouble[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** A server that reads words: each, with the blank before it, has log-probability minus its number of letters. */
const echo = ({ body }: SeenRequest) => {
  const tokens = String(body["prompt"]).split(/(?= )/);
  let at = 0;
  const text_offset = tokens.map((token) => (at += token.length) - token.length);
  const token_logprobs = tokens.map((token, place) => (place === 0 ? null : -token.length));
  return { body: { choices: [{ logprobs: { tokens, token_logprobs, text_offset } }] } };
};

test("a server's tokens are brought to ours, from the first asked token on", async () => {
  const server = await startChatServer(echo);
  opened.push(server);
  const tokenizer = await createTokenizer(tinyTokenizer);
  const student = { ...taughtModel([1]), tokenizer };
  const teacher = await openTeacher("endpoint", student, {
    start: student.weights,
    decay: 0,
    source: `completions ${server.baseUrl} words`,
    environment: { LIMBECK_CHAT_API_KEY: "secret" },
  });
  const ids = Int32Array.from([...tokenizer.encode("the cat"), ...tokenizer.encode(" sat on the log")]);
  const from = tokenizer.encode("the cat").length;
  const mask = Uint8Array.from(ids, (_, at) => (at >= from ? 1 : 0));
  const [said] = await teacher.scorer.score([{ ids, mask }]);
  const values = [...(said?.logprob ?? [])];
  // Four words of 4, 3, 4 and 4 letters with their blanks, whatever the tokens inside them are.
  expect(values.slice(from).reduce((sum, value) => sum + value, 0)).toBeCloseTo(-15, 5);
  expect(values.slice(0, from).every((value) => value === 0)).toBe(true);
  expect(server.requests[0]?.headers.authorization).toBe("Bearer secret");
  expect(server.requests[0]?.body["prompt"]).toBe("the cat sat on the log");
});

test("an address in another form is refused", async () => {
  const model = taughtModel([1]);
  const open = (source: string) => openTeacher("endpoint", model, { start: model.weights, decay: 0, source });
  await expect(open("http://127.0.0.1:1")).rejects.toThrow(/write "tinker URL"/);
  await expect(open("completions http://127.0.0.1:1 words")).rejects.toThrow(/no tokenizer/);
});
