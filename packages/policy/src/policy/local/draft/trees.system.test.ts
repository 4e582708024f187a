import { afterAll, expect, test } from "vitest";
import { closePrograms, counted, noisyModel, said } from "../../../../../../test/support/draft-samplers.ts";
import { tries } from "../../../../../../test/support/thorough.ts";
import type { DraftingOptions } from "./drafting.ts";

afterAll(closePrograms);

const TALKS = tries(16, 32);
const drafter = noisyModel();

/** Tokens for each check of a response. */
async function tokensPerCheck(way: DraftingOptions, options = { temperature: 1 }): Promise<number> {
  const { sampler } = counted(way, TALKS);
  await said(sampler, TALKS, options);
  return sampler.decoded.tokens / sampler.decoded.rows;
}

test("delayed: more tokens for each check than with the branches at the root, of equally many nodes", async () => {
  const tree = { draft: "model", draftTree: "delayed", drafter, draftNodes: 7 } as const;
  const atRoot = await tokensPerCheck({ ...tree, draftDelay: { tokens: 0, branches: 2 } });
  const delayed = await tokensPerCheck({ ...tree, draftDelay: { tokens: "unsure", branches: 2 } });
  expect(delayed).toBeGreaterThan(atRoot);
});

test("graft: more tokens for each check than the draft model's tree alone, of equally many nodes", async () => {
  const weak = { draft: "model", drafter: noisyModel(0.2), draftNodes: 7 } as const;
  const said = { temperature: 0.3 };
  // The whole tree holds what is left of it after pruning, so it is right at least as often as that alone.
  const pruned = await tokensPerCheck({ ...weak, draftTree: "delayed" }, said);
  const refilled = await tokensPerCheck({ ...weak, draftTree: "graft" }, said);
  expect(refilled).toBeGreaterThan(pruned);
});

test("what was said by branches and by the memory is counted, and only a tree has such", async () => {
  const drawn = noisyModel(0.2);
  const guessed = async (way: DraftingOptions): Promise<{ aside: number; recalled: number } | undefined> => {
    const { sampler } = counted(way);
    await said(sampler, 8, { temperature: 0.3 });
    return sampler.decoded.guessed;
  };
  const [chain, delayed, graft, memory, goose] = [
    await guessed({ draft: "model", drafter: drawn }),
    await guessed({ draft: "model", draftTree: "delayed", drafter: drawn }),
    await guessed({ draft: "model", draftTree: "graft", drafter: drawn }),
    await guessed({ draft: "ngram" }),
    await guessed({ draft: "ngram", draftTree: "goose" }),
  ];
  expect(chain).toEqual({ aside: 0, recalled: 0 });
  expect(delayed).toEqual({ aside: expect.any(Number) as number, recalled: 0 });
  expect(delayed?.aside).toBeGreaterThan(0);
  expect(graft?.recalled).toBeGreaterThan(0);
  expect(memory?.aside).toBe(0);
  expect(goose?.aside).toBeGreaterThan(0);
});
