import { afterAll, expect, test } from "vitest";
import { closePrograms, counted, expectItsDistribution } from "../../../../../../test/support/draft-samplers.ts";

afterAll(closePrograms);

/** One of them, for all ways of guessing: the others prove that responses are identical with and without. */
test("10,000 draws with guesses are distributed as the model says", async () => {
  const { sampler, passes } = counted({ draft: "ngram" }, 64);
  await expectItsDistribution(sampler);
  expect(passes.drafted).toBeGreaterThan(0);
});
