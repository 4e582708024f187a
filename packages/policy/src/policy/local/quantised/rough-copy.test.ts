import { expect, test } from "vitest";
import { tinyConfig } from "../../../../../../test/support/tiny-model.ts";
import type { Policy } from "../../policy.ts";
import type { ModelConfig } from "../model-config.ts";
import { createModel } from "../open-model.ts";
import { dequantiseRows } from "./matrix.ts";
import type { Frozen } from "./frozen.ts";
import { createRoughCopies, roughWeights } from "./rough-copy.ts";

/** Wide enough for blocks of 32. */
const config: ModelConfig = {
  ...tinyConfig,
  hiddenSize: 64,
  heads: 8,
  keyValueHeads: 4,
  intermediateSize: 96,
  vocabularySize: 61,
};

async function said(policy: Policy, seed = 1): Promise<{ readonly ids: number[]; readonly logprobs: number[] }> {
  const talk = policy.open({ seed });
  talk.extend([3, 5, 8, 13]);
  const { ids, logprobs } = await talk.sample({ maxTokens: 24 });
  talk.close();
  return { ids: [...ids], logprobs: [...logprobs] };
}

test("every matrix is within half a step of its block, the rest is the same", async () => {
  const model = await createModel(config, { seed: 1 });
  const { weights } = model;
  const rough = roughWeights(config, weights);
  for (const [name, { shape }] of weights.places) {
    const own = weights.views[name] as Float32Array;
    const back = new Float32Array(own.length);
    if (shape.length < 2) back.set(rough.views[name] as Float32Array);
    else dequantiseRows((rough.frozen as Frozen).matrix(name), 0, back);
    // A step is at most the largest size of the matrix over 127.
    const step = shape.length < 2 ? 0 : own.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127;
    const off = back.reduce((most, value, at) => Math.max(most, Math.abs(value - (own[at] as number))), 0);
    expect(off).toBeLessThanOrEqual(0.5001 * step);
  }
  await model.close();
});

test("the copy draws with the same random numbers, almost alike, and follows the weights", async () => {
  const model = await createModel(config, { seed: 1 });
  const first = (await model.rough?.()) as Policy;
  const [whole, copy] = [await said(model), await said(first)];
  expect(copy.ids).toEqual(whole.ids);
  copy.logprobs.forEach((value, at) => expect(value).toBeCloseTo(whole.logprobs[at] as number, 2));
  expect(copy.logprobs).not.toEqual(whole.logprobs);
  expect(await model.rough?.()).toBe(first);
  expect(first.ref).toMatchObject({ name: "local in 8 bits", version: 0 });
  // Other weights, another copy; the earlier one goes on while somebody speaks with it.
  const late = first.open({ seed: 1 });
  late.extend([3, 5, 8, 13]);
  for (const view of Object.values(model.weights.views)) view.forEach((value, at, all) => void (all[at] = -2 * value));
  model.replaced(7);
  const second = (await model.rough?.()) as Policy;
  expect(second.ref.version).toBe(7);
  expect((await said(second)).logprobs).not.toEqual(copy.logprobs);
  expect([...(await late.sample({ maxTokens: 24 })).ids]).toEqual(copy.ids);
  late.close();
  await model.close();
});

test("an earlier copy is closed once nobody speaks with it, and only once", async () => {
  const closed: number[] = [];
  const talk = { tokens: new Int32Array(), extend: () => undefined, close: () => undefined };
  const make = (version: number) => (): Policy => ({
    ref: { name: "copy", version },
    open: () => {
      const conversation = { ...talk, sample: () => Promise.reject(new Error("mute")), fork: () => conversation };
      return conversation;
    },
    close: () => Promise.resolve(void closed.push(version)),
  });
  const copies = createRoughCopies();
  const one = copies.of(1, make(1));
  const talking = one.open();
  const fork = talking.fork("b");
  const two = copies.of(2, make(2));
  two.open();
  talking.close();
  talking.close();
  expect(closed).toEqual([]);
  fork.close();
  expect(closed).toEqual([1]);
  // Whoever still speaks with a copy when the model is closed is not waited for.
  copies.of(3, make(3));
  await copies.close();
  expect(closed).toEqual([1, 2, 3]);
});
