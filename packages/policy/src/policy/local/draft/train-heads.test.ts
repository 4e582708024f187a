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
} from "../../../../../../test/support/draft-samplers.ts";
import { tries } from "../../../../../../test/support/thorough.ts";
import { tinyConfig } from "../../../../../../test/support/tiny-model.ts";
import type { DraftingOptions } from "./drafting.ts";
import { readDraftHeads, saveDraftHeads } from "./draft-heads.ts";
import type { TrainedHeads } from "./train-heads.ts";

let trained: TrainedHeads;
let ways: Record<string, DraftingOptions> = {};
beforeAll(async () => {
  trained = await tinyHeads({ steps: 150 });
  const heads = { draft: "heads", draftHeads: headsAtWork(trained) } as const;
  ways = {
    chain: heads,
    delayed: { ...heads, draftTree: "delayed" },
    graft: { ...heads, draftTree: "graft" },
    auto: { ...heads, draft: "auto" },
  };
});
afterAll(closePrograms);

const TALKS = tries(4, 8);
const allowed = [
  [1, 2, 3, 4, 5],
  [1, 2, 7, 6, 5],
  [2, 7, 6, 5, 4],
];
const asked = [{ temperature: 0 }, { temperature: 1 }, { temperature: 0.5, topK: 4 }, { allowed }];
/** What is said without guesses: once for all ways. */
const truths: { readonly truth: unknown; readonly rows: number; readonly tokens: number }[] = [];
beforeAll(async () => {
  for (const options of asked) {
    const { sampler } = counted({});
    truths.push({ truth: plainly(await said(sampler, TALKS, options)), ...sampler.decoded });
  }
});

test.each(["chain", "delayed", "graft"])(
  "heads, %s: responses are the same with guesses, in fewer passes",
  async (name) => {
    for (const [at, options] of asked.entries()) {
      const { sampler } = counted(ways[name] as DraftingOptions);
      const plain = truths[at];
      expect(plainly(await said(sampler, TALKS, options))).toEqual(plain?.truth);
      expect(sampler.decoded.rows).toBeLessThan(plain?.rows ?? 0);
      expect(sampler.decoded.tokens).toBe(plain?.tokens);
    }
  },
);

test("auto with heads: responses are the same", async () => {
  // By default a temperature of 1.
  const guessed = await said(counted(ways["auto"] as DraftingOptions).sampler, TALKS, {});
  expect(plainly(guessed)).toEqual(truths[1]?.truth);
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
