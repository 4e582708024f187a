import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  closePrograms,
  counted,
  headsAtWork,
  plainly,
  said,
  tinyHeads,
} from "../../../../test/support/draft-samplers.ts";
import { tinyConfig } from "../../../../test/support/tiny-model.ts";
import type { DraftingOptions } from "./drafting.ts";
import { readDraftHeads, saveDraftHeads } from "./heads-files.ts";
import type { TrainedHeads } from "./train-heads.ts";

let trained: TrainedHeads;
let ways: Record<string, DraftingOptions> = {};
beforeAll(async () => {
  trained = await tinyHeads();
  const heads = { draft: "heads", draftHeads: headsAtWork(trained) } as const;
  ways = {
    chain: heads,
    delayed: { ...heads, draftTree: "delayed" },
    graft: { ...heads, draftTree: "graft" },
    auto: { ...heads, draft: "auto" },
  };
});
afterAll(closePrograms);

const allowed = [
  [1, 2, 3, 4, 5],
  [1, 2, 7, 6, 5],
  [2, 7, 6, 5, 4],
];

test.each(["chain", "delayed", "graft"])(
  "heads, %s: responses are the same with guesses, in fewer passes",
  async (name) => {
    for (const options of [{ temperature: 0 }, { temperature: 1 }, { temperature: 0.5, topK: 4 }, { allowed }]) {
      const [plain, guessed] = [counted({}), counted(ways[name] as DraftingOptions)];
      const truth = await said(plain.sampler, 8, options);
      expect(plainly(await said(guessed.sampler, 8, options))).toEqual(plainly(truth));
      expect(guessed.sampler.decoded.rows).toBeLessThan(plain.sampler.decoded.rows);
      expect(guessed.sampler.decoded.tokens).toBe(plain.sampler.decoded.tokens);
    }
  },
);

test("auto with heads: responses are the same", async () => {
  const truth = await said(counted({}).sampler, 8, {});
  expect(plainly(await said(counted(ways["auto"] as DraftingOptions).sampler, 8, {}))).toEqual(plainly(truth));
});

test("heads: trained by total variation they are kept more often than trained by cross-entropy, at temperature 1", async () => {
  const options = { steps: 400, depth: 2, learningRate: 0.01 };
  const [tv, ce] = [await tinyHeads(options), await tinyHeads({ ...options, loss: "ce" })];
  // The same places are held out, and the same steps are made.
  expect([tv.places, tv.heldOut]).toEqual([ce.places, ce.heldOut]);
  expect(tv.tokensPerPass).toBeGreaterThan(ce.tokensPerPass);
});

test("heads lie beside the model and are the same after reading; what does not fit is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "draft-heads-"));
  try {
    expect(await readDraftHeads(folder, tinyConfig)).toBeUndefined();
    const path = await saveDraftHeads(folder, trained.heads);
    const read = await readDraftHeads(folder, tinyConfig);
    expect(read?.inner).toBe(trained.heads.inner);
    expect(read?.weights.flat).toEqual(trained.heads.weights.flat);
    await expect(readDraftHeads(folder, { ...tinyConfig, hiddenSize: 32 })).rejects.toMatchObject({
      code: "bad-weights",
      message: expect.stringMatching(/"draft_heads\.up\.weight" is \[32, 32\]; the model needs \[32, 64\]/),
    });
    await writeFile(path, "no tensors");
    await expect(readDraftHeads(folder, tinyConfig)).rejects.toThrow(/draft-heads/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
