/** A token policy that answers questions: what it reads, how long it may go on, and that its memory ends with its weights. */
import { expect, test } from "vitest";
import { createScriptedPolicy } from "../tabular/scripted-policy.ts";
import { plainDialect } from "../tabular/script-tokenizer.ts";
import type { Policy } from "../policy.ts";
import { openChatModel } from "./chat-model.ts";

function speaking(script: (text: string) => string) {
  const read: string[] = [];
  const policy = createScriptedPolicy({
    script: ({ text }) => {
      read.push(text);
      return script(text);
    },
  });
  return { policy, dialect: plainDialect(policy.tokenizer), read };
}

test("a question is a conversation in the policy's own dialect, and its tokens are counted", async () => {
  const { policy, dialect } = speaking(() => "Paris");
  const chat = openChatModel({ policy: () => policy, dialect });
  const asked = await chat.complete([
    { role: "system", content: "Be short." },
    { role: "user", content: "The capital?" },
  ]);
  expect(asked).toMatchObject({ text: "Paris", finishReason: "stop", cached: false });
  expect(asked.usage).toMatchObject({
    promptTokens: dialect.opening("The capital?", "Be short.").length,
    // Five letters and the end of the turn.
    completionTokens: 6,
    modelCalls: 1,
  });
});

test("earlier turns stand before the question", async () => {
  const { policy, dialect, read } = speaking(() => "Rome");
  const chat = openChatModel({ policy: () => policy, dialect });
  await chat.complete([
    { role: "user", content: "France?" },
    { role: "assistant", content: "Paris" },
    { role: "user", content: "Italy?" },
  ]);
  expect(read.join("")).toContain("Italy?");
});

test("an answer ends at the longest one, whatever is asked for, and a tool is refused", async () => {
  const { policy, dialect } = speaking(() => "a very long answer that does not end");
  const chat = openChatModel({ policy: () => policy, dialect, longestAnswer: 6 });
  const messages = [{ role: "user", content: "?" }] as const;
  expect(await chat.complete(messages, { maxTokens: 2_048 })).toMatchObject({ text: "a very", finishReason: "length" });
  await expect(chat.complete(messages, { tools: [{ name: "look" }] })).rejects.toThrow(/calls no tools/);
  await expect(chat.scoreText([])).resolves.toEqual([]);
});

test("what it remembers does not outlive its weights", async () => {
  const { policy, dialect } = speaking(() => "yes");
  let version = 1;
  let asked = 0;
  const learning: Policy = {
    get ref() {
      return { name: "learner", version };
    },
    open: (options) => {
      asked += 1;
      return policy.open(options);
    },
    close: () => policy.close(),
  };
  const chat = openChatModel({ policy: () => learning, dialect }, { cache: true });
  const ask = async (): Promise<boolean> => (await chat.complete([{ role: "user", content: "?" }])).cached;
  expect([await ask(), await ask()]).toEqual([false, true]);
  version = 2;
  expect([await ask(), asked]).toEqual([false, 2]);
});
