import { join } from "node:path";
import { expect, test } from "vitest";
import { testTrainer } from "../../../../../test/support/trainer.ts";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { openModel } from "../local/open-model.ts";
import { openTinkerScorer } from "./tinker-scorer.ts";

const rows = [
  { ids: Int32Array.of(1, 2, 3, 4), mask: Uint8Array.of(0, 1, 0, 1) },
  { ids: Int32Array.of(5, 6), mask: Uint8Array.of(0, 0) },
];

test("scores and the likeliest tokens are those of the served model, where they are asked for", async () => {
  const trainer = await testTrainer();
  const { vocabularySize, contextLength } = tinyConfig;
  const remote = await openTinkerScorer({ url: trainer.url, vocabularySize, contextLength });
  const local = await openModel(join(trainer.folder, "tiny"), { threads: 1 });
  const [mine, theirs] = [await local.score(rows), await remote.score(rows)];
  const [top, served] = [await local.topTokens?.(rows, { count: 3 }), await remote.topTokens?.(rows, { count: 3 })];
  rows.forEach(({ ids }, at) => {
    ids.forEach((_, token) => expect(theirs[at]?.logprob?.[token]).toBeCloseTo(mine[at]?.logprob?.[token] ?? 1, 4));
    expect(served?.[at]?.ids).toEqual(top?.[at]?.ids);
    top?.[at]?.logprobs.forEach((value, place) => expect(served?.[at]?.logprobs[place]).toBeCloseTo(value, 4));
  });
  await Promise.all([remote.close(), local.close()]);
});

test("more tokens than the trainer gives are refused", async () => {
  const trainer = await testTrainer();
  const remote = await openTinkerScorer({
    url: trainer.url,
    vocabularySize: tinyConfig.vocabularySize,
    contextLength: 64,
  });
  await expect(remote.topTokens?.(rows, { count: 65 })).rejects.toThrow(/topk_prompt_logprobs/);
  await expect(remote.score(rows, { statistics: ["candidates"] })).rejects.toThrow(/log-probabilities only/);
  await remote.close();
});
