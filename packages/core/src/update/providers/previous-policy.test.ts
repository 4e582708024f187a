import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("every word has its probability under the start", async () => {
  const { batch, cost, asked } = await tryProvider("previous-policy", { credit: "rapo", size: 2 });
  batch.rows.forEach(({ logprobs, mask }, at) => {
    const start = batch.steps[at]?.span?.start as number;
    expect(logprobs?.previousTask).toHaveLength(mask.length);
    expect(logprobs?.previousTask?.[0]).toBeCloseTo(-start / 100, 6);
  });
  expect(asked).toHaveLength(2);
  expect(cost.modelTokens).toBeGreaterThan(0);
});
