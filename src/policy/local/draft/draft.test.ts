import { afterAll, expect, test } from "vitest";
import { tinyConfig, tinyWeights } from "../../../../test/support/tiny-model.ts";
import { createRng } from "../../../base/index.ts";
import type { SampleOptions, Sampled } from "../../policy.ts";
import { decodeGraph } from "../decode-graph.ts";
import { createPrograms } from "../programs.ts";
import { createSampler } from "../sampler.ts";
import type { Sampler } from "../sampler-options.ts";
import type { Draft } from "./kinds.ts";

const programs = createPrograms({ threads: 1 });
afterAll(() => programs.close());

/** A sampler that counts the passes of its model, all of them and those with drafts. */
function counted(
  draft: Draft,
  maxRows = 16,
): { readonly sampler: Sampler; readonly passes: { all: number; drafted: number } } {
  const passes = { all: 0, drafted: 0 };
  const sampler = createSampler({
    config: tinyConfig,
    weights: tinyWeights(),
    version: () => 0,
    maxRows,
    draft,
    program: async (shape) => {
      const program = await programs.get(JSON.stringify(shape), () => decodeGraph(tinyConfig, shape));
      return {
        ...program,
        run: (feeds, into) => {
          passes.all += 1;
          if (shape.tree === true) passes.drafted += 1;
          return program.run(feeds, into);
        },
      };
    },
  });
  return { sampler, passes };
}

/** Conversations of several turns, the same for every sampler. */
async function said(sampler: Sampler, numbers: number, options: Omit<SampleOptions, "maxTokens">): Promise<Sampled[]> {
  const talks = Array.from({ length: numbers }, async (_, number) => {
    const rng = createRng(`talk ${number}`);
    const talk = sampler.open({ seed: number });
    const turns: Sampled[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      talk.extend(Array.from({ length: 1 + rng.int(20) }, () => rng.int(tinyConfig.vocabularySize)));
      turns.push(await talk.sample({ maxTokens: 24, ...options }));
    }
    talk.close();
    return turns;
  });
  return (await Promise.all(talks)).flat();
}

const plainly = (turns: readonly Sampled[]): number[][] => turns.map(({ ids }) => [...ids]);

test("greedy responses are the same with guesses, in fewer passes", async () => {
  const [plain, guessed] = [counted("off"), counted("ngram")];
  for (let number = 0; number < 8; number += 1) {
    const truth = await said(plain.sampler, 1, { temperature: 0 });
    const drafted = await said(guessed.sampler, 1, { temperature: 0 });
    expect(plainly(drafted)).toEqual(plainly(truth));
  }
  // A tiny model that takes the likeliest word soon goes in circles, which the memory knows.
  expect(guessed.passes.all).toBeLessThan(0.5 * plain.passes.all);
});

test.each<Omit<SampleOptions, "maxTokens">>([
  { temperature: 1 },
  { temperature: 0.3 },
  { temperature: 1, topK: 3 },
  { temperature: 1, stop: [[3], [5, 1]] },
])("drawn responses are the same with guesses: %o", async (options) => {
  const truth = await said(counted("off").sampler, 24, options);
  const drafted = await said(counted("ngram").sampler, 24, options);
  expect(plainly(drafted)).toEqual(plainly(truth));
  for (const [at, { logprobs, sampledLogprobs, ending }] of drafted.entries()) {
    const { logprobs: own, sampledLogprobs: ownSampled, ending: ownEnding } = truth[at] as Sampled;
    expect(ending).toBe(ownEnding);
    logprobs.forEach((value, token) => expect(value).toBeCloseTo(own[token] as number, 4));
    sampledLogprobs.forEach((value, token) => expect(value).toBeCloseTo(ownSampled[token] as number, 4));
  }
});

test("where the allowed set leaves one way, it is guessed and never missed", async () => {
  const allowed = [
    [1, 2, 3, 4, 5, 6, 7],
    [2, 7, 6, 5, 4, 3, 1],
  ];
  const [plain, guessed] = [counted("off"), counted("ngram")];
  const truth = await said(plain.sampler, 12, { allowed });
  const drafted = await said(guessed.sampler, 12, { allowed });
  expect(plainly(drafted)).toEqual(plainly(truth));
  drafted.forEach(({ allowed: sets }, at) => expect(sets).toEqual(truth[at]?.allowed));
  // After the first token six are certain: two passes of a token and three guesses, instead of six.
  expect(guessed.passes.drafted).toBeLessThan(0.5 * plain.passes.all);
});

test("10,000 draws with guesses are distributed as the model says", async () => {
  const { sampler, passes } = counted("ngram", 64);
  const prompt = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4];
  const draws = 10_000;
  // Every response of three tokens that came; the second is guessed, how often, and its probability by the model itself.
  const [counts, expected] = [new Map<string, number>(), new Map<string, number>()];
  for (let from = 0; from < draws; from += 500) {
    const batch = await Promise.all(
      Array.from({ length: 500 }, (_, at) => {
        const talk = sampler.open({ seed: `draw ${from + at}` });
        talk.extend(prompt);
        return talk.sample({ maxTokens: 3 });
      }),
    );
    for (const { ids, logprobs } of batch) {
      const key = ids.join(" ");
      counts.set(key, (counts.get(key) ?? 0) + 1);
      expected.set(key, draws * Math.exp(logprobs.reduce((sum, value) => sum + value, 0)));
    }
  }
  expect(passes.drafted).toBeGreaterThan(0);
  // Rare ones count together, with those that never came.
  const common = [...expected].filter(([, mean]) => mean >= 5);
  const rest = draws - common.reduce((sum, [, mean]) => sum + mean, 0);
  const restSeen = draws - common.reduce((sum, [key]) => sum + (counts.get(key) ?? 0), 0);
  const terms = common.map(([key, mean]) => ((counts.get(key) ?? 0) - mean) ** 2 / mean);
  const chi = terms.reduce((sum, term) => sum + term, 0) + (restSeen - rest) ** 2 / rest;
  // The 0.999 quantile of chi-square by Wilson and Hilferty.
  const free = common.length;
  expect(free).toBeGreaterThan(50);
  expect(chi).toBeLessThan(free * (1 - 2 / (9 * free) + 3.0902 * Math.sqrt(2 / (9 * free))) ** 3);
});
