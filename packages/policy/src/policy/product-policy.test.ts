import { describe, expect, test } from "vitest";
import { drawn } from "../../../../test/support/drawn-strings.ts";
import { responses, totalVariation } from "../../../../test/support/enumerable-strings.ts";
import { createModel } from "./local/open-model.ts";
import type { ModelConfig } from "./local/model-config.ts";
import { policyContract } from "./policy.contract.ts";
import { createProductPolicy } from "./product-policy.ts";
import { createTabularPolicy, randomTable } from "./tabular/tabular-policy.ts";
import type { Policy } from "./policy.ts";

const VOCABULARY = 4;
const LENGTH = 3;
const table = (seed: number, spread = 1) =>
  createTabularPolicy({ probabilities: randomTable({ states: VOCABULARY, vocabularySize: VOCABULARY, seed, spread }) });
const strings = responses(VOCABULARY, LENGTH);

policyContract({
  name: "a product of two tables",
  policy: async () => Promise.resolve(createProductPolicy(table(1), table(2)) as never),
  vocabularySize: VOCABULARY,
  layers: ["samples"],
  runner: { describe, test },
});

test("one token at a time it draws base * guide^(1 / beta), normalised after every prefix", async () => {
  const [base, guide] = [table(1), table(2)];
  const beta = 0.5;
  // By hand, prefix by prefix.
  const exact = strings.map((ids) =>
    ids.reduce((chance, id, at) => {
      const state = at === 0 ? 0 : (ids[at - 1] as number);
      const both = [...base.logprobs(state)].map((own, word) =>
        Math.exp(own + (guide.logprobs(state)[word] as number) / beta),
      );
      return (chance * (both[id] as number)) / both.reduce((left, right) => left + right, 0);
    }, 1),
  );
  // 64 strings, 4,000 draws: chance alone gives about 0.03.
  expect(totalVariation(await drawn(createProductPolicy(base, guide, { beta }), 4_000, strings), exact)).toBeLessThan(
    0.06,
  );
});

const tiny: ModelConfig = {
  form: "qwen3",
  vocabularySize: 16,
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 8,
  intermediateSize: 32,
  contextLength: 64,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

test("a model's peek is what its scorer says, costs no token, and leaves the conversation as it was", async () => {
  const model = await createModel(tiny, { seed: 1, threads: 1 });
  try {
    const opening = Array.from({ length: 40 }, (_, at) => (at * 7) % 16);
    const [peeking, plain] = [model.open({ seed: 5 }), model.open({ seed: 5 })];
    for (const talk of [peeking, plain]) talk.extend(opening);
    const first = await peeking.peek?.();
    const again = await peeking.peek?.();
    const ids = Int32Array.from([...opening, 3]);
    const [scored] = await model.score([{ ids }], { statistics: ["logprob"] });
    expect(first?.[3]).toBeCloseTo(scored?.logprob?.at(-1) as number, 4);
    expect([...(again as Float32Array)]).toEqual([...(first as Float32Array)].map((value) => expect.closeTo(value, 4)));
    expect([...peeking.tokens]).toEqual(opening);
    // Sampled greedily, so that what a peek draws from the generator does not matter.
    const [one, other] = [
      await peeking.sample({ maxTokens: 5, temperature: 0 }),
      await plain.sample({ maxTokens: 5, temperature: 0 }),
    ];
    expect([...one.ids]).toEqual([...other.ids]);
    // Token by token with peeks between is the same as in one go.
    const third = model.open({ seed: 5 });
    third.extend(opening);
    const walked: number[] = [];
    for (let at = 0; at < 5; at += 1) {
      const logprobs = (await third.peek?.()) as Float32Array;
      walked.push(logprobs.indexOf(Math.max(...logprobs)));
      third.extend([walked.at(-1) as number]);
    }
    expect(walked).toEqual([...other.ids]);
  } finally {
    await model.close();
  }
});

test("what cannot be led is refused", async () => {
  const small = createTabularPolicy({
    probabilities: [
      [0.5, 0.5],
      [0.5, 0.5],
    ],
  });
  const talk = createProductPolicy(table(1), small).open();
  talk.extend([0]);
  await expect(talk.sample({ maxTokens: 1 })).rejects.toThrow("The base has 4 tokens and its guide 2");
  expect(() => createProductPolicy(small, small, { beta: 0 })).toThrow("beta is 0");
  expect(() => createProductPolicy(small, small, { draws: 0 })).toThrow("draws is 0");
  const silent = (): Policy => ({ ...small, open: () => ({ ...small.open(), peek: undefined }) as never });
  const mute = createProductPolicy(silent(), small).open();
  mute.extend([0]);
  await expect(mute.sample({ maxTokens: 1 })).rejects.toThrow("does not tell");
});
