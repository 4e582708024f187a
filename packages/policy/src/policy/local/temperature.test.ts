import { afterEach, describe, expect, test } from "vitest";
import { tinyConfig, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import type { Objective } from "../objective.ts";
import { createTabularPolicy, randomTable } from "../tabular/tabular-policy.ts";
import type { LocalModel } from "./local-model.ts";
import { createModel } from "./open-model.ts";

const models: LocalModel[] = [];
afterEach(async () => void (await Promise.all(models.splice(0).map((model) => model.close()))));

async function create(): Promise<LocalModel> {
  const model = await createModel(tinyConfig, { seed: 1, threads: 1 });
  // Freshly initialised weights have hardly any opinion; a temperature should change something.
  for (const [name, values] of Object.entries(tinyWeights())) model.weights.views[name]?.set(values);
  models.push(model);
  return model;
}

const size = tinyConfig.vocabularySize;
const ids = Int32Array.from({ length: 9 }, (_, at) => (5 + at * 3) % size);
const mask = Uint8Array.of(0, 0, 1, 1, 1, 1, 1, 1, 1);
const everything = { count: size, ids: Int32Array.from({ length: 9 * size }, (_, at) => at % size) };

/** The sum of some weight times each log-probability and entropy. */
const weighted: Objective = {
  needs: ["logprob", "entropy"],
  constantWeights: true,
  compute: ({ logprob = [], entropy = [] }) => {
    const weights = [0, 0, -2, 3, -1, 2, 1, -3, 2];
    let loss = 0;
    [logprob, entropy].forEach((rows) =>
      rows.forEach((row) => row.forEach((value, at) => (loss += value * (weights[at] as number)))),
    );
    const own = logprob.map(() => Float64Array.from(weights));
    return { loss, weights: { logprob: own, entropy: own } };
  },
};

describe("a row's temperature", () => {
  test("the log-probabilities of a row are those of its logits divided by it", async () => {
    const model = await create();
    const rows = [{ ids, temperature: 0.5, candidates: everything }];
    const [cool] = await model.score(rows, { statistics: ["logprob", "candidates", "entropy"] });
    const [plain] = await model.score([{ ids, candidates: everything }], { statistics: ["candidates"] });
    for (let token = 1; token < ids.length; token += 1) {
      // softmax(z / T) is p^(1/T), normalised.
      const own = Array.from(plain?.candidates?.subarray(token * size, (token + 1) * size) ?? [], (value) => 2 * value);
      const total = Math.log(own.reduce((sum, value) => sum + Math.exp(value), 0));
      const entropy = -own.reduce((sum, value) => sum + Math.exp(value - total) * (value - total), 0);
      expect(cool?.logprob?.[token]).toBeCloseTo((own[ids[token] as number] as number) - total, 4);
      expect(cool?.candidates?.[token * size + 3]).toBeCloseTo((own[3] as number) - total, 4);
      expect(cool?.entropy?.[token]).toBeCloseTo(entropy, 4);
    }
    await expect(model.score([{ ids, temperature: 0 }])).rejects.toThrow(
      /temperature is 0; it must be a number of at least 0.000001/,
    );
  });

  test("what was sampled at a temperature is scored alike", async () => {
    const model = await create();
    const talk = model.open({ seed: 4 });
    talk.extend([1, 2, 3]);
    const { sampledLogprobs } = await talk.sample({ maxTokens: 10, temperature: 0.6 });
    const [scored] = await model.score([{ ids: talk.tokens, temperature: 0.6 }, { ids: talk.tokens }]);
    sampledLogprobs.forEach((value, at) => expect(scored?.logprob?.[3 + at]).toBeCloseTo(value, 4));
  });

  test("its gradient is that of differences", async () => {
    const model = await create();
    const rows = [0.7, 2].map((temperature) => ({ ids, mask, temperature }));
    const { loss } = await model.backward(rows, weighted);
    const gradient = model.core.gradient.slice();
    model.discard();
    const { flat } = model.weights;
    const at = async (place: number, change: number): Promise<number> => {
      const held = flat[place] as number;
      flat[place] = held + change;
      const report = await model.backward(rows, weighted);
      model.discard();
      flat[place] = held;
      return report.loss;
    };
    expect(await at(0, 0)).toBeCloseTo(loss, 3);
    const places = [...gradient.keys()].filter((place) => Math.abs(gradient[place] as number) > 1);
    expect(places.length).toBeGreaterThan(50);
    for (const place of places.filter((_, index) => index % Math.ceil(places.length / 8) === 0)) {
      const slope = ((await at(place, 1 / 256)) - (await at(place, -1 / 256))) / (2 / 256);
      expect(Math.abs(slope - (gradient[place] as number))).toBeLessThan(
        0.02 * Math.abs(gradient[place] as number) + 0.02,
      );
    }
  });

  test("a table steps downhill at a temperature, and scores by it", async () => {
    const probabilities = randomTable({ states: 3, vocabularySize: 3, seed: 2 });
    const row = { ids: Int32Array.of(0, 2, 1, 1, 0), mask: Uint8Array.of(0, 1, 1, 1, 1), temperature: 0.5 };
    const objective: Objective = {
      needs: ["logprob"],
      compute: ({ logprob = [] }) => ({
        loss: logprob.flatMap((values) => [...values]).reduce((left, right) => left + right, 0),
        weights: { logprob: logprob.map((values) => values.map((_, token) => Number(token > 0))) },
      }),
    };
    const policy = createTabularPolicy({ probabilities });
    const before = await policy.backward([row], objective);
    // A step against the gradient of the sum lowers it; at a tiny rate Adam moves every number by the rate.
    await policy.step({ learningRate: 1e-3 });
    const [after] = await policy.score([row]);
    const sum = (after?.logprob ?? new Float32Array()).reduce((left, right) => left + right, 0);
    expect(sum).toBeLessThan(before.loss);
    // Squares of the probabilities, normalised: that is a temperature of a half.
    const fresh = createTabularPolicy({ probabilities });
    const [cool] = await fresh.score([row]);
    const squares = (probabilities[0] as Float64Array).map((value) => value * value);
    const share = (squares[2] as number) / squares.reduce((left, right) => left + right, 0);
    expect(cool?.logprob?.[1]).toBeCloseTo(Math.log(share), 6);
  });
});

describe("the most probable tokens", () => {
  test("are those of the whole vocabulary, equal ones in the order of their ids", async () => {
    const model = await create();
    const rows = [{ ids, candidates: everything }];
    const [all] = await model.score(rows, { statistics: ["candidates"] });
    const [top] = await model.topTokens([{ ids, mask }], { count: 5 });
    const asked = [...mask.keys()].filter((token) => mask[token] === 1);
    expect(Array.from(top?.ids.subarray(0, 10) ?? [])).toEqual(Array.from({ length: 10 }, () => 0));
    for (const token of asked) {
      const own = Array.from(all?.candidates?.subarray(token * size, (token + 1) * size) ?? []);
      const best = [...own.keys()].sort((a, b) => (own[b] as number) - (own[a] as number) || a - b).slice(0, 5);
      expect(Array.from(top?.ids.subarray(token * 5, token * 5 + 5) ?? [])).toEqual(best);
      const values = top?.logprobs.subarray(token * 5, token * 5 + 5) ?? [];
      values.forEach((value, at) => expect(value).toBeCloseTo(own[best[at] as number] as number, 4));
    }
    // A head of zeros finds all tokens equally probable.
    model.weights.views["model.embed_tokens.weight"]?.fill(0);
    const [equal] = await model.topTokens([{ ids }], { count: 3 });
    expect(Array.from(equal?.ids.subarray(3, 9) ?? [])).toEqual([0, 1, 2, 0, 1, 2]);
    expect(equal?.logprobs[3]).toBeCloseTo(-Math.log(size), 5);
    await expect(model.topTokens([{ ids }], { count: size + 1 })).rejects.toThrow(/from 1 to 29, the vocabulary/);
  });

  test("of a table, with ties", async () => {
    const policy = createTabularPolicy({
      probabilities: [
        [0.25, 0.5, 0.25],
        [0, 0, 1],
        [1 / 3, 1 / 3, 1 / 3],
      ],
    });
    const [top] = await policy.topTokens([{ ids: Int32Array.of(0, 1, 2, 0) }], { count: 2 });
    expect([...(top?.ids ?? [])]).toEqual([0, 0, 1, 0, 2, 0, 0, 1]);
    expect(top?.logprobs[2]).toBeCloseTo(Math.log(0.5), 6);
    expect(top?.logprobs[5]).toBe(-Infinity);
  });
});
