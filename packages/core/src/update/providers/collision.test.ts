import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("squares of all probabilities are added up", async () => {
  // Three words with 0.5, 0.3 and 0.2: 0.25 + 0.09 + 0.04 = 0.38.
  const distribution = [0.5, 0.3, 0.2].map((value) => Math.log(value));
  const { batch, asked } = await tryProvider("collision", {
    credit: "optimal-token-baseline",
    vocabularySize: 3,
    size: 2,
    score: ({ ids }) => ({
      candidates: Float32Array.from({ length: 3 * ids.length }, (_, at) => distribution[at % 3] ?? 0),
    }),
  });
  for (const { logprobs, mask } of batch.rows) {
    expect(logprobs?.collision).toHaveLength(mask.length);
    for (const value of logprobs?.collision ?? []) expect(value).toBeCloseTo(Math.log(0.38), 6);
  }
  expect(asked.every(({ candidates }) => candidates?.count === 3)).toBe(true);
});
