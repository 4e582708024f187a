import { afterAll, beforeAll, expect, test } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tinyConfig } from "../../../../../../test/support/tiny-model.ts";
import { createRng } from "limbeck-base/base/rng";
import type { LocalModel } from "../local-model.ts";
import { createModel, openModel } from "../open-model.ts";
import type { SparseOptions } from "./two-level.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sparse-"));
  const sizes = { hiddenSize: 64, heads: 8, keyValueHeads: 4, intermediateSize: 96, vocabularySize: 61 };
  const model = await createModel({ ...tinyConfig, ...sizes, contextLength: 400 }, { seed: 1 });
  for (const [name, { shape }] of model.weights.places) {
    if (shape.length === 2) model.weights.views[name]?.forEach((value, at, all) => void (all[at] = value * 6));
  }
  await model.save(folder, { optimiser: false });
  await model.close();
});
afterAll(() => rm(folder, { recursive: true }));

/** Two conversations at once, of which one is long, in two turns each. */
async function said(model: LocalModel): Promise<{ readonly ids: number[]; readonly logprobs: number[] }[]> {
  return await Promise.all(
    [40, 300].map(async (length) => {
      const rng = createRng(`read ${length}`);
      const talk = model.open({ seed: length });
      const [ids, logprobs]: number[][] = [[], []];
      for (const part of [length, 9]) {
        talk.extend(Array.from({ length: part }, () => rng.int(61)));
        const sampled = await talk.sample({ maxTokens: 12 });
        ids?.push(...sampled.ids);
        logprobs?.push(...sampled.logprobs);
      }
      talk.close();
      return { ids: ids ?? [], logprobs: logprobs ?? [] };
    }),
  );
}

async function by(attention?: SparseOptions | "two-level") {
  const model = await openModel(folder, {
    weights: "int8",
    threads: 1,
    ...(attention === undefined ? {} : { attention }),
  });
  const turns = await said(model);
  const counts = model.decoded.attention;
  await model.close();
  return { turns, counts };
}

test("within a tolerance it says what all keys say, with summaries kept from step to step", async () => {
  const whole = await by();
  const { turns, counts } = await by({ tolerance: 1e-4, most: 1, from: 0 });
  expect(turns.map(({ ids }) => ids)).toEqual(whole.turns.map(({ ids }) => ids));
  turns.forEach(({ logprobs }, talk) =>
    logprobs.forEach((value, at) => expect(value).toBeCloseTo(whole.turns[talk]?.logprobs[at] as number, 2)),
  );
  expect(whole.counts).toBeUndefined();
  expect(counts?.added).toBeLessThanOrEqual(counts?.scored ?? 0);
});

test("of long contexts a quarter of the keys is scored, short ones whole", async () => {
  const { counts } = await by("two-level");
  const { keys = 0, scored = 0, blocks = 0, again = 0 } = counts ?? {};
  // Only the conversation of 300 tokens and more counts: 11 steps of each turn after the first word, 2 layers, 8 heads.
  expect(keys).toBeGreaterThanOrEqual(22 * 2 * 8 * 300);
  expect(scored).toBeLessThanOrEqual(0.26 * keys);
  expect(again).toBeGreaterThan(0);
  expect(again).toBeLessThan(blocks);
});

test("where it has no place it is refused by name", async () => {
  await expect(openModel(folder, { attention: "two-level" })).rejects.toThrow(/--weights int8/);
  await expect(openModel(folder, { weights: "int8", cache: "float16", attention: "two-level" })).rejects.toThrow(
    /cache/,
  );
});
