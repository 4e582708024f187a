import { expect, test } from "vitest";
import { families, familyFiles, type FamilyName } from "../../../../../../test/support/chat-templates.ts";
import { trainBytePair } from "../byte-pair.ts";
import { createChat, type Chat } from "../chat-template.ts";
import { createTokenizer, type TokenizerFiles } from "../tokenizer.ts";
import { checkScenarios, handledBy, type Handled, type ScenarioResult } from "./check.ts";
import { SCENARIOS } from "./scenarios.ts";

interface Checked extends Handled {
  readonly results: ReadonlyMap<string, ScenarioResult>;
}

async function checked(files: TokenizerFiles): Promise<Checked> {
  const tokenizer = await createTokenizer(files);
  const results = new Map<string, ScenarioResult>();
  const chat = (await createChat(tokenizer)) as Chat;
  for await (const result of checkScenarios(chat, tokenizer)) results.set(result.scenario, result);
  return { results, ...(await handledBy(tokenizer)) };
}

/** Appends, drifts, leaves out, refuses; "-" where it was not tried. */
const LETTERS: Readonly<Record<ScenarioResult["state"], string>> = {
  appends: "A",
  drifts: "D",
  "leaves-out": "L",
  refused: "R",
};

/** What each family's own documentation lets one expect, in the order of the chats, and what is done about it. */
const EXPECTED: Readonly<Record<FamilyName, readonly [states: string, handling: string]>> = {
  // plain, system, edges, empty answer, empty question; thinking, in a field; a call, two calls, a thought and a call; off
  chatml: ["AAAAA AL LLL -", "append"],
  "qwen2.5": ["AAAAA AL AAL -", "append"],
  qwen3: ["AAAAA DD AAD D", "append"],
  llama3: ["AADAA AL ARL -", "append"],
  mistral: ["DDDDD DL RRR -", "rebuilt"],
  gemma: ["AADAA AL RRR -", "append"],
  phi3: ["AAAAA AL LLL -", "append"],
};

test.each(Object.keys(families) as FamilyName[])("%s: which chats drift, and what is done", async (family) => {
  const { results, handling } = await checked(familyFiles(family));
  const letters = SCENARIOS.map(({ name }) => {
    const state = results.get(name)?.state;
    return state === undefined ? "-" : LETTERS[state];
  }).join("");
  expect([letters, handling]).toEqual([EXPECTED[family][0].replaceAll(" ", ""), EXPECTED[family][1]]);
});

test("Qwen3 takes thoughts out of earlier turns: the first token that differs, with the text around it", async () => {
  const { results, thinkingOff } = await checked(familyFiles("qwen3"));
  // "<|im_start|>user⏎Where?<|im_end|>⏎<|im_start|>assistant⏎" is 1 + 5 + 6 + 1 + 1 + 1 + 10 = 25 tokens: three marks, and
  // letters of which none were ever joined. So the 26th is the first of the answer.
  expect(results.get("thinking")).toMatchObject({
    state: "drifts",
    drift: { message: 1, token: 25, cause: "history", before: expect.stringMatching(/assistant\n$/) },
  });
  expect(results.get("thinking")).toHaveProperty("drift.saw", expect.stringMatching(/^<think>\nThe /));
  expect(results.get("thinking")).toHaveProperty("drift.shown", expect.stringMatching(/^Go to the desk/));
  // Without thinking the prompt holds an empty thought, which earlier turns lose: no conversation can grow on that.
  expect(thinkingOff).toBe("rebuilt");
});

test("the same text in other tokens is told apart from other text", async () => {
  // Two line breaks are one token here. The prompt ends with one and the answer begins with one.
  const files = trainBytePair(
    Array.from({ length: 9 }, () => "a\n\n b"),
    { vocabularySize: 262 },
  );
  const tokenizer = await createTokenizer(files);
  expect(tokenizer.encode("\n\n")).toHaveLength(1);
  const { results, handling } = await checked(files);
  expect(results.get("edges")).toMatchObject({ state: "drifts", drift: { message: 1, cause: "tokens" } });
  expect(results.get("plain")?.state).toBe("appends");
  expect(handling).toBe("append");
});

test("a template that no agent can speak through says why", async () => {
  const endless = await checked(familyFiles("chatml", "{% for m in messages %}{{ m.content }}{% endfor %}"));
  expect(endless).toMatchObject({ handling: "none", system: false, reason: { code: "bad-chat-template" } });
  expect(endless.reason?.message).toContain("does not end an answer with a special token");
  const strict = await checked(familyFiles("chatml", "{{ raise_exception('no') }}"));
  expect(strict.results.get("plain")).toMatchObject({ state: "refused" });
  expect(strict.handling).toBe("none");
});
