/** Keys and values as float16: half of the memory, numbers that are close, and company that changes nothing. */
import { afterAll, describe, expect, test } from "vitest";
import { tinyConfig, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "limbeck-base/base/rng";
import type { Sampled } from "../policy.ts";
import { createArena } from "./key-value.ts";
import { decodeGraph } from "./decode-graph.ts";
import { createModel, openModel } from "./open-model.ts";
import { createPrograms } from "./programs.ts";
import { createSampler } from "./sampler.ts";
import type { Sampler } from "./sampler-options.ts";

const half = { ...tinyConfig, halfCache: true };
const weights = tinyWeights();
const programs = createPrograms({ threads: 1 });
afterAll(() => programs.close());

function sampler(config: typeof tinyConfig, maxRows = 16): Sampler {
  return createSampler({
    config,
    weights,
    version: () => 0,
    maxRows,
    program: (shape) => programs.get(JSON.stringify([config, shape]), () => decodeGraph(config, shape)),
  });
}

async function talk(engine: Sampler, number: number, count = 3): Promise<Sampled[]> {
  const [rng, conversation] = [createRng(`talk ${number}`), engine.open({ seed: number })];
  const turns: Sampled[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    conversation.extend(Array.from({ length: 1 + rng.int(40) }, () => rng.int(tinyConfig.vocabularySize)));
    turns.push(await conversation.sample({ maxTokens: 6, temperature: 1 }));
  }
  return turns;
}

describe("a cache of float16", () => {
  test("takes half of the bytes", () => {
    const bytes = (config: typeof tinyConfig): number =>
      createArena(config, 4, 64).keys.reduce((sum, keys) => sum + keys.byteLength, 0);
    expect(bytes(half)).toBe(bytes(tinyConfig) / 2);
  });

  test("moves log-probabilities a little: not by nothing, and by no more than 16 roundings", async () => {
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    const said = async (config: typeof tinyConfig): Promise<Sampled[][]> => {
      const engine = sampler(config);
      return await Promise.all(numbers.map((number) => talk(engine, number, 1)));
    };
    const [whole, halved] = [await said(tinyConfig), await said(half)];
    const gaps = numbers.flatMap((number) => {
      const [one, other] = [whole[number]?.[0] as Sampled, halved[number]?.[0] as Sampled];
      // Draws part ways only where a number lies on a border; up to there the words are the same.
      const same = one.ids.findIndex((id, at) => id !== other.ids[at]);
      const until = one.logprobs.slice(0, same < 0 ? undefined : same);
      return Array.from(until, (value, at) => Math.abs(value - (other.logprobs[at] as number)));
    });
    expect(gaps.length).toBeGreaterThan(60);
    expect(Math.max(...gaps)).toBeGreaterThan(0);
    // A float16 is rounded by 2^-11 of itself at most.
    expect(Math.max(...gaps)).toBeLessThan(16 * 2 ** -11);
  });

  const many = tries(8, 60);
  test(`${many} conversations say the same together, in pairs and in fewer rows`, async () => {
    const numbers = Array.from({ length: many }, (_, at) => at);
    const all = async (engine: Sampler, order: readonly number[]): Promise<Map<number, Sampled[]>> => {
      const results = await Promise.all(order.map((number) => talk(engine, number)));
      return new Map(order.map((number, at) => [number, results[at] as Sampled[]]));
    };
    const together = await all(sampler(half), numbers);
    const fewer = await all(sampler(half, 8), numbers.toReversed());
    for (const number of numbers) expect(fewer.get(number)).toEqual(together.get(number));
    for (let number = 0; number < many; number += 2) {
      for (const [key, value] of await all(sampler(half), [number, number + 1]))
        expect(value).toEqual(together.get(key));
    }
  });

  test("an observation read in long chunks leaves what reading it in two turns leaves", async () => {
    const ids = Array.from({ length: 45 }, (_, at) => (at * 7) % tinyConfig.vocabularySize);
    const engine = sampler(half);
    const [whole, parts] = [engine.open({ seed: 1 }), engine.open({ seed: 1 })];
    whole.extend(ids);
    parts.extend(ids.slice(0, 40));
    await parts.fork("aside").sample({ maxTokens: 1 });
    parts.extend(ids.slice(40));
    const [one, other] = [await whole.sample({ maxTokens: 6 }), await parts.sample({ maxTokens: 6 })];
    expect([...other.ids]).toEqual([...one.ids]);
    one.logprobs.forEach((logprob, at) => expect(other.logprobs[at]).toBeCloseTo(logprob, 4));
  });

  test("a model says with guesses what it says without, on its own and in groups", async () => {
    const open = (draft: "off" | "ngram"): ReturnType<typeof createModel> =>
      createModel(tinyConfig, { seed: 3, cache: "float16", draft, threads: 1 });
    const [plain, guessing] = [await open("off"), await open("ngram")];
    const says = async (model: Awaited<ReturnType<typeof createModel>>): Promise<number[][]> =>
      await Promise.all(
        [1, 2, 3, 4].map(async (seed) => {
          const conversation = model.open({ seed });
          conversation.extend([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]);
          return [...(await conversation.sample({ maxTokens: 12, temperature: 0 })).ids];
        }),
      );
    expect(await says(guessing)).toEqual(await says(plain));
    await Promise.all([plain.close(), guessing.close()]);
  });

  test("another kind is refused by name", async () => {
    const bad = openModel("packages/world-models/countdown", { cache: "float8" as "float16" });
    await expect(bad).rejects.toThrow('The cache is "float8"; allowed: float32, float16.');
  });
});
