import { afterAll, beforeAll, expect, test } from "vitest";
import { closePrograms, counted, noisyModel, plainly, said } from "../../../../../../test/support/draft-samplers.ts";
import { tries } from "../../../../../../test/support/thorough.ts";
import { compressContext, type DraftModel } from "./drafters.ts";
import type { DraftingOptions } from "./drafting.ts";

afterAll(closePrograms);

const drafter = noisyModel();
const parallel = { draft: "model", draftTree: "parallel", drafter } as const;
/** The draft model reads 32 tokens at most, of contexts of up to 130. */
const short: DraftingOptions = { ...parallel, draftContext: 32 };
const ways: Readonly<Record<string, DraftingOptions>> = { "whole context": parallel, "compressed context": short };
const TALKS = tries(2, 4);
const allowed = [
  [1, 2, 3, 4, 5],
  [1, 2, 7, 6, 5],
  [2, 7, 6, 5, 4],
];

const asked = [{ temperature: 0 }, { temperature: 0.5, topK: 4 }, { allowed }];
/** What is said without guesses: once for both ways. */
const truths: { readonly truth: unknown; readonly rows: number; readonly tokens: number }[] = [];
beforeAll(async () => {
  for (const options of asked) {
    const { sampler } = counted({});
    truths.push({ truth: plainly(await said(sampler, TALKS, options)), ...sampler.decoded });
  }
});

test("a compressed context has its beginning and its end, and loses whole blocks", () => {
  const tokens = Int32Array.from({ length: 64 }, (_, at) => at);
  expect([...compressContext(tokens, 16, 16)]).toEqual([...tokens.subarray(0, 16)]);
  // One too many of 16: a block of 4 goes, the one after the first block.
  expect([...compressContext(tokens, 17, 16)]).toEqual([0, 1, 2, 3, ...tokens.subarray(8, 17)]);
  // The next three tokens are added to what was read before.
  expect([...compressContext(tokens, 20, 16)]).toEqual([0, 1, 2, 3, ...tokens.subarray(8, 20)]);
  expect([...compressContext(tokens, 21, 16)]).toEqual([0, 1, 2, 3, ...tokens.subarray(12, 21)]);
  expect(compressContext(tokens, 64, undefined)).toHaveLength(64);
});

test.each(Object.entries(ways))("%s: responses are the same, in fewer steps of the model", async (_, way) => {
  for (const [at, options] of asked.entries()) {
    const { sampler } = counted(way);
    const plain = truths[at];
    expect(plainly(await said(sampler, TALKS, options))).toEqual(plain?.truth);
    expect(sampler.decoded.rows).toBeLessThan(plain?.rows ?? 0);
    expect(sampler.decoded.tokens).toBe(plain?.tokens);
    await sampler.rest();
  }
});

/** A draft model that says when it is at work. */
function watched(model: DraftModel, working: { now: number }): DraftModel {
  return {
    ...model,
    program: async (shape) => {
      const program = await model.program(shape);
      return {
        ...program,
        run: async (feeds, into) => {
          working.now += 1;
          try {
            return await program.run(feeds, into);
          } finally {
            working.now -= 1;
          }
        },
      };
    },
  };
}

test("chains are drafted while the model checks, and most lie ready where both models agree", async () => {
  const working = { now: 0 };
  const { sampler } = counted({ ...parallel, drafter: watched(noisyModel(0.002), working), draftNodes: 3 }, 1);
  await said(sampler, 1, { temperature: 0 });
  const { ready = 0, waited = 0 } = sampler.decoded.overlap ?? {};
  // Of three turns each waits for its first chain.
  expect(waited).toBeGreaterThanOrEqual(3);
  expect(ready).toBeGreaterThan(waited);
  await sampler.rest();
  expect(working.now).toBe(0);
});

test("the same chains are checked as without overlap", async () => {
  const [apart, together] = [counted({ ...parallel, draftTree: "chain" }, 1), counted(parallel, 1)];
  await said(apart.sampler, 4, { temperature: 0.5 });
  await said(together.sampler, 4, { temperature: 0.5 });
  // Trust is learnt at other moments, so that a chain may end a token sooner or later.
  const ratio = together.sampler.decoded.rows / apart.sampler.decoded.rows;
  expect(ratio).toBeGreaterThan(0.8);
  expect(ratio).toBeLessThan(1.25);
  await together.sampler.rest();
});
