import { expect, test } from "vitest";
import { answers, round } from "../../../../test/support/credit.ts";
import { prepareBatch } from "./assign.ts";
import { batchFromJson } from "./batch-json.ts";
import { groupStatistics } from "./groups.ts";
import { whitening } from "./whiten.ts";

test("whitens over trained tokens with the unbiased variance", () => {
  const batch = prepareBatch(batchFromJson(answers([0], [{ mask: [1, 1, 0, 1] }])));
  // x = [1, 2, 4]: mean 7/3; squares 16/9 + 1/9 + 25/9 = 42/9; / 2 = 7/3; root 1.527525. The masked 99 is not seen.
  const { mean, scale } = whitening(batch, [Float64Array.of(1, 2, 99, 4)])!;
  const whitened = [1, 2, 4].map((value) => (value - mean) * scale);
  for (const [at, expected] of [-0.872872, -0.218218, 1.091089].entries())
    expect(whitened[at]).toBeCloseTo(expected, 5);
});

test("one token has no variance", () => {
  expect(whitening(prepareBatch(batchFromJson(answers([0]))), [Float64Array.of(1)])).toBeUndefined();
});

test("statistics of a group", () => {
  const values = Float64Array.of(1, 0, 0, 1, 1);
  const of = { of: new Int32Array(5), count: 1 };
  const scaleOf = (deviation: string) =>
    groupStatistics(values, of, { scale: true, singleton: "raw", deviation, epsilon: 0 });
  // Mean 0.6; squares 3 * 0.16 + 2 * 0.36 = 1.2; / 5 = 0.24, / 4 = 0.3; roots 0.489898 and 0.547723.
  expect([...scaleOf("population").centres, ...scaleOf("population").scales].map(round)).toEqual([0.6, 0.489898]);
  expect(Array.from(scaleOf("unbiased").scales, round)).toEqual([0.547723]);
});
