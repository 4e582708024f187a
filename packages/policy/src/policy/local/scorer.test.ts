import { afterEach, expect, test } from "vitest";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import type { LocalModel } from "./local-model.ts";
import { createAdapter } from "./lora.ts";
import { createModel, type CreateModelOptions } from "./open-model.ts";
import { copyWeights } from "./weights.ts";

const models: LocalModel[] = [];
afterEach(async () => void (await Promise.all(models.splice(0).map((model) => model.close()))));

async function create(options: Partial<CreateModelOptions> = {}): Promise<LocalModel> {
  const model = await createModel(tinyConfig, { seed: 1, threads: 1, ...options });
  models.push(model);
  return model;
}

const ids = Int32Array.from({ length: 9 }, (_, at) => (5 + at * 3) % 29);

test("a mask asks for some tokens; the others are 0 and the asked ones as without it", async () => {
  const model = await create();
  const mask = Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0);
  const [all] = await model.score([{ ids }]);
  const [some] = await model.score([{ ids, mask }]);
  const wanted = all?.logprob?.map((value, at) => (mask[at] === 1 ? value : 0));
  some?.logprob?.forEach((value, at) => expect(value).toBeCloseTo(wanted?.[at] as number, 5));
  await expect(model.score([{ ids, mask: Uint8Array.of(1) }])).rejects.toThrow(/mask has 1 entries for 9 tokens/);
});

test("the whole vocabulary as candidates is the same whether it is said to be that or not", async () => {
  const model = await create();
  const { vocabularySize: size } = model.config;
  const every = Int32Array.from({ length: ids.length * size }, (_, at) => at % size);
  const mask = Uint8Array.of(0, 0, 1, 1, 0, 0, 0, 1, 0);
  const statistics = ["logprob", "candidates"] as const;
  const asked = (whole: boolean) => [
    { ids, mask, candidates: { count: size, ids: every, whole } },
    { ids: ids.subarray(2), temperature: 2, candidates: { count: size, ids: every.subarray(2 * size), whole } },
  ];
  const [known, lookedUp] = [
    await model.score(asked(true), { statistics }),
    await model.score(asked(false), { statistics }),
  ];
  known.forEach(({ logprob, candidates }, row) => {
    const wanted = lookedUp[row];
    expect(logprob).toEqual(wanted?.logprob);
    expect(candidates?.length).toBe(wanted?.candidates?.length);
    candidates?.forEach((value, at) => expect(value).toBeCloseTo(wanted?.candidates?.[at] as number, 5));
  });
  // Of the third token's 29 words that which was said is the token's own; the fifth is not asked for.
  expect(known[0]?.candidates?.[2 * size + (ids[2] as number)]).toBeCloseTo(known[0]?.logprob?.[2] as number, 5);
  expect(known[0]?.candidates?.subarray(4 * size, 5 * size).every((value) => value === 0)).toBe(true);
  const few = { ids, candidates: { count: 1, ids: ids.slice(), whole: true } };
  await expect(model.score([few], { statistics })).rejects.toThrow(
    /1 candidates at a token are not the whole vocabulary/,
  );
});

test("scoring with a copy of the start stays as it was while the model learns", async () => {
  const model = await create();
  const start = model.scorerWith(copyWeights(model.weights));
  const before = await model.score([{ ids }]);
  await model.backward([{ ids, mask: new Uint8Array(9).fill(1) }], {
    needs: ["logprob"],
    compute: ({ logprob = [] }) => ({ loss: 0, weights: { logprob: logprob.map((row) => row.map(() => -1)) } }),
  });
  await model.step({ learningRate: 0.01 });
  expect(await start.score([{ ids }])).toEqual(before);
  expect(await model.score([{ ids }])).not.toEqual(before);
});

test("weights of another form, and a model with an adapter, are refused", async () => {
  const model = await create();
  const other = { ...copyWeights(model.weights), flat: new Float32Array(3) };
  expect(() => model.scorerWith(other)).toThrow(/have 3 numbers/);
  const adapted = await create({ adapter: (config) => createAdapter(config, { rank: 2, seed: 1 }) });
  expect(() => adapted.scorerWith(copyWeights(adapted.weights))).toThrow(/without an adapter/);
});

test("a token's vector is its row of the embedding matrix", async () => {
  const model = await create();
  const { hiddenSize, vocabularySize } = model.config;
  const matrix = model.weights.views["model.embed_tokens.weight"];
  expect(model.embedding?.(5)).toEqual(matrix?.slice(5 * hiddenSize, 6 * hiddenSize));
  expect(() => model.embedding?.(vocabularySize)).toThrow(
    `There is no token ${vocabularySize}; allowed: a whole number from 0 to ${vocabularySize - 1}`,
  );
});
