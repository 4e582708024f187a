import { afterAll, expect, test } from "vitest";
import {
  closePrograms,
  counted,
  expectItsDistribution,
  noisyModel,
  plainly,
  said,
} from "../../../../test/support/draft-samplers.ts";
import type { DraftingOptions } from "./drafting.ts";

afterAll(closePrograms);

const drafter = noisyModel();
const ways: Readonly<Record<string, DraftingOptions>> = {
  "a draft model's chain": { draft: "model", drafter },
  goose: { draft: "ngram", draftTree: "goose" },
  delayed: { draft: "model", draftTree: "delayed", drafter },
  graft: { draft: "model", draftTree: "graft", drafter },
};
const allowed = [
  [1, 2, 3, 4, 5],
  [1, 2, 7, 6, 5],
  [2, 7, 6, 5, 4],
];

test.each(Object.entries(ways))("%s: responses are the same with guesses, in fewer passes", async (_, way) => {
  for (const options of [{ temperature: 0 }, { temperature: 1 }, { temperature: 0.5, topK: 4 }, { allowed }]) {
    const [plain, guessed] = [counted({}), counted(way)];
    const truth = await said(plain.sampler, 8, options);
    expect(plainly(await said(guessed.sampler, 8, options))).toEqual(plainly(truth));
    expect(guessed.sampler.decoded.rows).toBeLessThan(plain.sampler.decoded.rows);
    expect(guessed.sampler.decoded.tokens).toBe(plain.sampler.decoded.tokens);
  }
});

test.each(Object.entries(ways))("%s: 10,000 draws are distributed as the model says", async (_, way) => {
  const { sampler, passes } = counted(way, 64);
  await expectItsDistribution(sampler);
  expect(passes.drafted).toBeGreaterThan(0);
});

/** Tokens for each check of a response. */
async function tokensPerCheck(way: DraftingOptions): Promise<number> {
  const { sampler } = counted(way, 32);
  await said(sampler, 32, { temperature: 1 });
  return sampler.decoded.tokens / sampler.decoded.rows;
}

test("delayed: more tokens for each check than with the branches at the root, of equally many nodes", async () => {
  const tree = { draft: "model", draftTree: "delayed", drafter, draftNodes: 7 } as const;
  const atRoot = await tokensPerCheck({ ...tree, draftDelay: { tokens: 0, branches: 2 } });
  const delayed = await tokensPerCheck({ ...tree, draftDelay: { tokens: "unsure", branches: 2 } });
  expect(delayed).toBeGreaterThan(atRoot);
});
