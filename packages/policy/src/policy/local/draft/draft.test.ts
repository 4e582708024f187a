import { afterAll, expect, test } from "vitest";
import { closePrograms, counted, plainly, said } from "../../../../../../test/support/draft-samplers.ts";
import { tries } from "../../../../../../test/support/thorough.ts";
import type { SampleOptions, Sampled } from "../../policy.ts";

afterAll(closePrograms);

test("greedy responses are the same with guesses, in fewer passes", async () => {
  const [plain, guessed] = [counted({ draft: "off" }), counted({ draft: "ngram" })];
  for (let number = 0; number < 4; number += 1) {
    const truth = await said(plain.sampler, 1, { temperature: 0 });
    const drafted = await said(guessed.sampler, 1, { temperature: 0 });
    expect(plainly(drafted)).toEqual(plainly(truth));
  }
  // A tiny model that takes the likeliest word soon goes in circles, which the memory knows.
  expect(guessed.passes.all).toBeLessThan(0.5 * plain.passes.all);
  // Somebody who speaks alone is checked alone.
  expect([...guessed.passes.rows]).toEqual([1]);
});

test.each<Omit<SampleOptions, "maxTokens">>([
  { temperature: 1 },
  { temperature: 0.3 },
  { temperature: 1, topK: 3 },
  { temperature: 1, stop: [[3], [5, 1]] },
])("drawn responses are the same with guesses: %o", async (options) => {
  const truth = await said(counted({ draft: "off" }).sampler, tries(6, 24), options);
  const drafted = await said(counted({ draft: "ngram" }).sampler, tries(6, 24), options);
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
  const [plain, guessed] = [counted({ draft: "off" }), counted({ draft: "ngram" })];
  const truth = await said(plain.sampler, tries(4, 12), { allowed });
  const drafted = await said(guessed.sampler, tries(4, 12), { allowed });
  expect(plainly(drafted)).toEqual(plainly(truth));
  drafted.forEach(({ allowed: sets }, at) => expect(sets).toEqual(truth[at]?.allowed));
  // After the first token six are certain: two passes of a token and three guesses, instead of six.
  expect(guessed.passes.drafted).toBeLessThan(0.5 * plain.passes.all);
});
