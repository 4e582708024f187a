import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Objective } from "../objective.ts";
import { policyContract } from "../policy.contract.ts";
import { createTabularPolicy, randomTable } from "./tabular-policy.ts";

const runner = { describe, test };
const vocabularySize = 6;

policyContract({
  name: "the tabular policy",
  policy: async () =>
    createTabularPolicy({ probabilities: randomTable({ states: vocabularySize, vocabularySize, seed: "contract" }) }),
  vocabularySize,
  runner,
});
policyContract({
  name: "the tabular policy with two tokens of history",
  policy: async () =>
    createTabularPolicy({ probabilities: randomTable({ states: 36, vocabularySize, seed: 2, spread: 2 }), history: 2 }),
  vocabularySize,
  runner,
});

/** Two tokens, each mostly followed by the other: 0 -> 1 with 3/4, 1 -> 0 with 9/10. */
const flip = {
  probabilities: [
    [0.25, 0.75],
    [0.9, 0.1],
  ],
};

test("log-probabilities and entropies are those of the table", async () => {
  const policy = createTabularPolicy(flip);
  // ln 0.25 = -1.3862944, ln 0.75 = -0.2876821; 0.25 * 1.3862944 + 0.75 * 0.2876821 = 0.5623351
  expect(policy.entropy(0)).toBeCloseTo(0.5623351, 7);
  // ln 0.9 = -0.1053605, ln 0.1 = -2.3025851; 0.9 * 0.1053605 + 0.1 * 2.3025851 = 0.3250830
  expect(policy.entropy(1)).toBeCloseTo(0.325083, 6);
  const [scores] = await policy.score([{ ids: Int32Array.of(0, 1, 1, 0) }], { statistics: ["logprob", "entropy"] });
  const rounded = (values: Float32Array | undefined) => [...(values ?? [])].map((value) => Number(value.toFixed(5)));
  // After 0 comes 1: ln 0.75; after 1 comes 1: ln 0.1; after 1 comes 0: ln 0.9.
  expect(rounded(scores?.logprob)).toEqual([0, -0.28768, -2.30259, -0.10536]);
  expect(rounded(scores?.entropy)).toEqual([0, 0.56234, 0.32508, 0.32508]);
});

test("a probability of zero is never said, and scores as minus infinity", async () => {
  const policy = createTabularPolicy({
    probabilities: [
      [0, 1],
      [1, 0],
    ],
  });
  const talk = policy.open({ seed: 1 });
  talk.extend([0]);
  expect([...(await talk.sample({ maxTokens: 5 })).ids]).toEqual([1, 0, 1, 0, 1]);
  const [scores] = await policy.score([{ ids: Int32Array.of(0, 0) }]);
  expect([...(scores?.logprob ?? [])]).toEqual([0, -Infinity]);
  talk.extend([0]);
  await expect(talk.sample({ maxTokens: 1, allowed: [[0]] })).rejects.toMatchObject({ code: "impossible-allowed" });
  await expect(talk.sample({ maxTokens: 1, allowed: [[0]], temperature: 0 })).rejects.toMatchObject({
    code: "impossible-allowed",
  });
});

test("drawn frequencies are the table's", async () => {
  const policy = createTabularPolicy({ probabilities: [[0.1, 0.2, 0.7]], history: 0 });
  const talk = policy.open({ seed: "frequencies" });
  talk.extend([0]);
  const counts = [0, 0, 0];
  const { ids } = await talk.sample({ maxTokens: 4_000 });
  for (const id of ids) counts[id] = (counts[id] ?? 0) + 1;
  // Four standard deviations: 4 sqrt(p (1 - p) 4000) = 76, 101, 116 around 400, 800, 2800.
  expect(Math.abs((counts[0] ?? 0) - 400)).toBeLessThan(76);
  expect(Math.abs((counts[1] ?? 0) - 800)).toBeLessThan(101);
  expect(Math.abs((counts[2] ?? 0) - 2_800)).toBeLessThan(116);
});

test("temperature, top-k, top-p and min-p give the log-probability that was drawn from", async () => {
  const policy = createTabularPolicy({ probabilities: [[0.1, 0.2, 0.3, 0.4]], history: 0 });
  const say = async (options: object, seed: number) => {
    const talk = policy.open({ seed });
    talk.extend([0]);
    const { ids, sampledLogprobs, logprobs } = await talk.sample({ maxTokens: 1, ...options });
    expect(logprobs[0]).toBeCloseTo(Math.log([0.1, 0.2, 0.3, 0.4][ids[0] as number] as number), 6);
    return [ids[0], Number(Math.exp(sampledLogprobs[0] as number).toFixed(5))] as [number, number];
  };
  const seen = async (options: object) =>
    Object.fromEntries(await Promise.all(Array.from({ length: 60 }, (_, seed) => say(options, seed))));
  // Temperature 1/2 squares: 1, 4, 9, 16 of 30.
  expect(await seen({ temperature: 0.5 })).toEqual({ 0: 0.03333, 1: 0.13333, 2: 0.3, 3: 0.53333 });
  // The two best: 3/7 and 4/7. A share of 0.6 is reached with 0.4 + 0.3. 0.45 of the largest is 0.18: 2, 3, 4 of 9.
  expect(await seen({ topK: 2 })).toEqual({ 2: 0.42857, 3: 0.57143 });
  expect(await seen({ topP: 0.6 })).toEqual({ 2: 0.42857, 3: 0.57143 });
  expect(await seen({ minP: 0.45 })).toEqual({ 1: 0.22222, 2: 0.33333, 3: 0.44444 });
  for (const temperature of [0, 5e-324, 1e-46, 1e-38, 1e-20, 1e-7])
    expect(await seen({ temperature })).toEqual({ 3: 1 });
});

test("end tokens and the end of the context end a reply", async () => {
  const policy = createTabularPolicy({
    probabilities: [
      [0, 1, 0],
      [0, 0, 1],
      [1, 0, 0],
    ],
    endTokens: [2],
    contextLength: 8,
  });
  const talk = policy.open();
  talk.extend([0]);
  expect(await talk.sample({ maxTokens: 9 })).toMatchObject({ ids: Int32Array.of(1, 2), ending: "stop" });
  talk.extend([2, 2, 2, 2]);
  expect(await talk.sample({ maxTokens: 9 })).toMatchObject({ ids: Int32Array.of(0), ending: "context" });
  await expect(talk.sample({ maxTokens: 1 })).rejects.toMatchObject({ code: "past-context" });
});

test("a reply takes as long as its delay says, and one that is given up leaves nothing behind", async () => {
  const waiting: (() => void)[] = [];
  const sizes: object[] = [];
  const options = { probabilities: randomTable({ states: 4, vocabularySize: 4, seed: 3 }) };
  const slow = createTabularPolicy({
    ...options,
    delay: (size) => {
      sizes.push(size);
      return new Promise<void>((resolve) => waiting.push(resolve));
    },
  });
  const talk = slow.open({ seed: 5 });
  talk.extend([1, 2]);
  const stop = new AbortController();
  const given = talk.sample({ maxTokens: 3, signal: stop.signal });
  expect(() => talk.extend([1])).toThrow("is sampling");
  stop.abort();
  await expect(given).rejects.toMatchObject({ code: "cancelled" });
  expect([...talk.tokens]).toEqual([1, 2]);
  const kept = talk.sample({ maxTokens: 3 });
  waiting.at(-1)?.();
  const quick = createTabularPolicy(options).open({ seed: 5 });
  quick.extend([1, 2]);
  expect(await kept).toEqual(await quick.sample({ maxTokens: 3 }));
  expect(sizes).toEqual([
    { readTokens: 2, saidTokens: 3 },
    { readTokens: 2, saidTokens: 3 },
  ]);
});

test("the gradient of each statistic is its finite difference", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1_000 }), async (seed) => {
      const probabilities = randomTable({ states: 3, vocabularySize: 3, seed });
      const ids = Int32Array.of(0, 1, 2, 2, 0);
      const candidates = { count: 2, ids: Int32Array.of(0, 0, 1, 2, 0, 1, 2, 0, 1, 1) };
      const weigh = (length: number) => Float64Array.from({ length }, (_, at) => Math.sin(seed + at));
      const objective: Objective = {
        needs: ["logprob", "entropy", "candidates"],
        compute: (live) => ({
          loss: 0,
          weights: { logprob: [weigh(5)], entropy: [weigh(5)], candidates: [weigh(10)] },
          metrics: { seen: live.logprob?.length ?? 0 },
        }),
      };
      const value = async (rows: readonly ArrayLike<number>[]): Promise<number> => {
        const names = ["logprob", "entropy", "candidates"] as const;
        const [scores = {}] = await createTabularPolicy({ probabilities: rows }).score([{ ids, candidates }], {
          statistics: names,
        });
        const dot = (values: Float32Array = new Float32Array()) =>
          values.reduce((sum, one, at) => sum + one * (weigh(values.length)[at] as number), 0);
        return names.reduce((sum, name) => sum + dot(scores[name]), 0);
      };
      // Without moments and with a huge epsilon Adam is plain descent: every logit moves by minus its gradient.
      const policy = createTabularPolicy({ probabilities });
      await policy.backward([{ ids, candidates, mask: new Uint8Array(5).fill(1) }], objective);
      await policy.step({ learningRate: 1e6, epsilon: 1e6, beta1: 0, beta2: 0 });
      const gradient = probabilities.flatMap((row, state) => {
        // Log-probabilities have lost a constant; the gradient of a softmax row adds up to zero, which gives it back.
        const moved = policy.logprobs(state).map((value, id) => Math.log(row[id] as number) - value);
        const constant = moved.reduce((left, right) => left + right, 0) / 3;
        return Array.from(moved, (value) => value - constant);
      });
      const slopes = await Promise.all(
        Array.from({ length: 9 }, async (_, place) => {
          const moved = (by: number) =>
            probabilities.map((row, state) => {
              const weights = row.map((p, id) => p * Math.exp(state * 3 + id === place ? by : 0));
              const sum = weights.reduce((left, right) => left + right, 0);
              return weights.map((weight) => weight / sum);
            });
          return ((await value(moved(0.01))) - (await value(moved(-0.01)))) / 0.02;
        }),
      );
      gradient.forEach((value, place) => expect(value).toBeCloseTo(slopes[place] as number, 3));
    }),
    { numRuns: 20 },
  );
});

test.each([1e38, 1e20])(
  "a step at the rate %f, which destroys the table, is refused with everything as before",
  async (rate) => {
    const policy = createTabularPolicy(flip);
    const likely: Objective = {
      needs: ["logprob"],
      compute: ({ logprob = [] }) => ({ loss: 0, weights: { logprob: logprob.map((row) => row.map(() => -1)) } }),
    };
    const rows = [{ ids: Int32Array.of(0, 1, 0), mask: Uint8Array.of(0, 1, 1) }];
    const before = await policy.score(rows);
    await policy.backward(rows, likely);
    await expect(policy.step({ learningRate: rate })).rejects.toMatchObject({ code: "update-not-finite" });
    expect(await policy.score(rows)).toEqual(before);
    expect(policy.ref.version).toBe(createTabularPolicy(flip).ref.version);
    await policy.backward(rows, likely);
    expect((await policy.step({ learningRate: 0.1 })).step).toBe(1);
  },
);

test("bad tables, states and files are refused by name", async () => {
  const make =
    (probabilities: number[][], more: object = {}) =>
    () =>
      createTabularPolicy({ probabilities, ...more });
  expect(make([])).toThrow("The table is empty");
  expect(
    make([
      [0.5, 0.4],
      [1, 0],
    ]),
  ).toThrow("row 0 add up to 0.9");
  expect(make([[0.5, 0.5], [1]])).toThrow("Row 1 has 1 probabilities, row 0 has 2");
  expect(
    make([
      [1.5, -0.5],
      [1, 0],
    ]),
  ).toThrow("token 0 the probability 1.5");
  expect(make([[1, 0]])).toThrow("a history of 1 tokens out of 2 needs 2");
  const lost = make([[0.5, 0.5]], { stateOf: () => 7 })().open();
  lost.extend([0]);
  await expect(lost.sample({ maxTokens: 1 })).rejects.toMatchObject({ code: "bad-state" });
  await expect(
    createTabularPolicy(flip).score([{ ids: Int32Array.of(0, 1) }], { statistics: ["value"] }),
  ).rejects.toThrow('"value" was asked for');

  const folder = await mkdtemp(join(tmpdir(), "limbeck-tabular-"));
  try {
    await expect(createTabularPolicy(flip).load(folder)).rejects.toMatchObject({ code: "file-missing" });
    await createTabularPolicy({ probabilities: [[1]] }).save(folder);
    await expect(createTabularPolicy(flip).load(folder)).rejects.toThrow("it holds 1 numbers, the table has 4");
    await writeFile(join(folder, "table.json"), "{");
    await expect(createTabularPolicy(flip).load(folder)).rejects.toMatchObject({ code: "bad-table" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
