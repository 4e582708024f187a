import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policyContract } from "../policy.contract.ts";
import { byteTokenizer, plainDialect, wordTokenizer } from "./script-tokenizer.ts";
import { createScriptedPolicy, type Script, type ScriptedReply } from "./scripted-policy.ts";

const words = wordTokenizer(["go", "north", "south", "take", "lamp"]);

/** Mixtures that share beginnings; one reply is the beginning of another. */
const mixture: readonly ScriptedReply[] = [
  { text: "go north", probability: 0.5 },
  { text: "go south", probability: 0.125 },
  { text: "go", probability: 0.125 },
  { text: "take lamp", probability: 0.25 },
];

policyContract({
  name: "a scripted policy",
  // The contract confines a reply to the tokens [0, 1] and [1]: the script must be able to say both. Byte 1 twice is
  // another reply that begins with [1], so that all of this is decided by probabilities.
  policy: async () =>
    createScriptedPolicy({
      script: () =>
        ["\u0000\u0001", "\u0001", "\u0001\u0001", "\u0000\u0000\u0003"].map((text) => ({ text, probability: 0.25 })),
    }),
  vocabularySize: 257,
  layers: ["samples"],
  runner: { describe, test },
});

const talkTo = (script: Script, seed: number | string = 0) => {
  const talk = createScriptedPolicy({ script, tokenizer: words }).open({ seed });
  talk.extend(words.encode("take"));
  return talk;
};
const rounded = (values: Float32Array) => [...values].map((value) => Number(value.toFixed(5)));

test("a token has the probability of what is left of the mixture", async () => {
  const said = new Map<string, number[]>();
  for (let seed = 0; seed < 60; seed += 1) {
    const { ids, logprobs, sampledLogprobs, ending } = await talkTo(() => mixture, seed).sample({ maxTokens: 9 });
    expect(ending).toBe("stop");
    expect(rounded(sampledLogprobs)).toEqual(rounded(logprobs));
    said.set(plainDialect(words).answer(ids), rounded(logprobs));
  }
  // "go" begins 0.75: ln 0.75 = -0.28768. After it north 0.5 / 0.75: ln 2/3 = -0.40547; south or the end 0.125 / 0.75:
  // ln 1/6 = -1.79176. "take" ln 0.25 = -1.38629, then all is certain.
  expect(Object.fromEntries(said)).toEqual({
    "go north": [-0.28768, -0.40547, 0],
    "go south": [-0.28768, -1.79176, 0],
    go: [-0.28768, -1.79176],
    "take lamp": [-1.38629, 0, 0],
  });
});

test("temperature works on tokens, and zero takes the best", async () => {
  const { ids, sampledLogprobs } = await talkTo(() => mixture).sample({ maxTokens: 9, temperature: 0 });
  expect(plainDialect(words).answer(ids)).toBe("go north");
  expect([...sampledLogprobs]).toEqual([0, 0, 0]);
  const { ids: drawn, sampledLogprobs: squared } = await talkTo(() => mixture, 1).sample({
    maxTokens: 1,
    temperature: 0.5,
  });
  // Squares: 0.5625 for "go" and 0.0625 for "take", of 0.625: 0.9 and 0.1.
  expect(Math.exp(squared[0] as number)).toBeCloseTo(drawn[0] === 0 ? 0.9 : 0.1, 6);
});

test("an allowed set confines the mixture, and what the script never says is refused", async () => {
  const allowed = ["go south", "take lamp"].map((text) => plainDialect(words).reply(text));
  const { ids, logprobs, sampledLogprobs } = await talkTo(() => mixture, 2).sample({ maxTokens: 9, allowed });
  const answer = plainDialect(words).answer(ids);
  expect(["go south", "take lamp"]).toContain(answer);
  // Between "go" 0.75 and "take" 0.25, then "south" is the only way on.
  expect(Math.exp(sampledLogprobs.reduce((left, right) => left + right))).toBeCloseTo(
    answer === "go south" ? 0.75 : 0.25,
    6,
  );
  expect(Math.exp(logprobs.reduce((left, right) => left + right))).toBeCloseTo(answer === "go south" ? 0.125 : 0.25, 6);
  await expect(talkTo(() => "go").sample({ maxTokens: 9, allowed: [[2]] })).rejects.toMatchObject({
    code: "impossible-allowed",
  });
});

test("the log-probability of a reply is the logarithm of its probability, whatever the replies", async () => {
  const texts = fc.uniqueArray(fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b", "é", "🙂") }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 6 }),
      fc.integer(),
      async (replies, weights, seed) => {
        const total = replies.reduce((sum, _, at) => sum + (weights[at] as number), 0);
        const given = replies.map((text, at) => ({ text, probability: (weights[at] as number) / total }));
        const talk = createScriptedPolicy({ script: () => given }).open({ seed });
        talk.extend([0]);
        const { ids, logprobs } = await talk.sample({ maxTokens: 99 });
        const answer = plainDialect(byteTokenizer()).answer(ids);
        const { probability } = given.find(({ text }) => text === answer) as ScriptedReply;
        expect(logprobs.reduce((left, right) => left + right, 0)).toBeCloseTo(Math.log(probability), 5);
      },
    ),
    { numRuns: 100 },
  );
});

test("the short way through certain tokens says the same as the long way", async () => {
  // A stop sequence that never comes forces the long way.
  const never = [[255, 255, 255, 255]];
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 30 }), async (seed, maxTokens) => {
      const policy = createScriptedPolicy({ script: () => [...mixture, { text: "go", probability: 0 }] });
      const talks = [policy.open({ seed }), policy.open({ seed })] as const;
      for (let turn = 0; turn < 3; turn += 1) {
        for (const talk of talks) talk.extend([1, 2]);
        const short = await talks[0].sample({ maxTokens, stop: [[256]] });
        expect(short).toEqual(await talks[1].sample({ maxTokens, stop: never }));
      }
      expect(talks[0].tokens).toEqual(talks[1].tokens);
    }),
    { numRuns: 60 },
  );
  const cramped = createScriptedPolicy({ script: () => "take lamp", contextLength: 6 }).open();
  cramped.extend([1, 2]);
  const { ids, ending } = await cramped.sample({ maxTokens: 50 });
  expect([ids.length, ending]).toEqual([4, "context"]);
});

test("a script sees the conversation, what is new in it, and how often it has spoken", async () => {
  const seen: object[] = [];
  const script: Script = ({ text, observation, index }) => {
    seen.push({ text, observation, index });
    return `reply ${index}`;
  };
  const policy = createScriptedPolicy({ script, name: "parrot", version: 7 });
  expect(policy.ref).toEqual({ name: "parrot", version: 7 });
  const dialect = plainDialect(policy.tokenizer);
  const talk = policy.open();
  talk.extend(dialect.opening("a room", "be kind"));
  const first = await talk.sample({ maxTokens: 50 });
  expect([dialect.answer(first.ids), first.version]).toEqual(["reply 0", 7]);
  talk.extend(dialect.turn("a lamp"));
  const cut = await talk.sample({ maxTokens: 3 });
  expect([dialect.answer(cut.ids), cut.ending]).toEqual(["rep", "length"]);
  talk.extend(dialect.turn("a door", { cut: true }));
  await talk.fork("other").sample({ maxTokens: 50 });
  await talk.sample({ maxTokens: 50 });
  const third = { text: "be kind\n\na roomreply 0\na lamprep\na door", observation: "a door", index: 2 };
  expect(seen).toEqual([
    { text: "be kind\n\na room", observation: "be kind\n\na room", index: 0 },
    { text: "be kind\n\na roomreply 0\na lamp", observation: "a lamp", index: 1 },
    third,
    third,
  ]);
});

test("a thousand conversations at once say what each says alone", async () => {
  const script: Script = ({ observation }) => (observation.endsWith("!") ? mixture : "take lamp");
  const policy = createScriptedPolicy({ script });
  const speak = async (seed: number): Promise<string> => {
    const talk = policy.open({ seed });
    talk.extend(policy.tokenizer.encode(seed % 3 === 0 ? "what" : "what!"));
    const { ids } = await talk.sample({ maxTokens: 50 });
    talk.close();
    return plainDialect(policy.tokenizer).answer(ids);
  };
  const together = await Promise.all(Array.from({ length: 1_000 }, (_, seed) => speak(seed)));
  for (const seed of [0, 1, 499, 999]) expect(together[seed]).toBe(await speak(seed));
  expect(new Set(together)).toEqual(new Set(mixture.map(({ text }) => text)));
});

test("bad scripts and unknown words are refused by name, and the conversation stays as it was", async () => {
  const talk = talkTo(() => [{ text: "go", probability: 0.5 }]);
  await expect(talk.sample({ maxTokens: 5 })).rejects.toThrow("1 replies probabilities that add up to 0.5");
  await expect(talkTo(() => [{ text: "go", probability: -1 }]).sample({ maxTokens: 5 })).rejects.toThrow(
    'gives "go" the probability -1',
  );
  await expect(talkTo(() => "fly").sample({ maxTokens: 5 })).rejects.toThrow('The word "fly" is not among the 5 words');
  const broken = talkTo(() => {
    throw new Error("no idea");
  });
  await expect(broken.sample({ maxTokens: 5 })).rejects.toThrow("no idea");
  expect([...broken.tokens]).toEqual([3]);
  broken.close();
  await expect(broken.sample({ maxTokens: 5 })).rejects.toMatchObject({ code: "conversation-closed" });
});
