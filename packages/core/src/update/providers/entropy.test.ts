import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("every word has the entropy of the place it was drawn at", async () => {
  const { batch, cost, asked } = await tryProvider("entropy", {
    credit: "echo",
    size: 2,
    score: ({ ids }) => ({ entropy: Float32Array.from(ids, (_, at) => at / 100) }),
  });
  batch.rows.forEach(({ logprobs, mask }, at) => {
    const start = batch.steps[at]?.span?.start as number;
    expect(logprobs?.entropy).toHaveLength(mask.length);
    expect(logprobs?.entropy?.[0]).toBeCloseTo(start / 100, 6);
  });
  expect(asked).toHaveLength(2);
  expect(cost.modelTokens).toBeGreaterThan(0);
});
