import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { AGGREGATIONS, type AggregationOptions } from "./aggregation.ts";
import { policyGradient } from "./policy-gradient.ts";

/** Losses 1, 2 in one row and 3, 3, 3, 3 in the other: log-probability -1 makes the loss the advantage. */
const rows = [
  { now: [-1, -1], advantages: [1, 2] },
  { now: [-1, -1, -1, -1], advantages: [3, 3, 3, 3] },
];
const lossOf = (options: Partial<AggregationOptions>, extra: typeof rows = []) =>
  computeRows(policyGradient.create(options), [...rows, ...extra]).loss;

test.each([
  // 15 / 6
  ["token-mean", 2.5],
  // (3 + 12) / 2
  ["seq-mean-token-sum", 7.5],
  // (1.5 + 3) / 2
  ["seq-mean-token-mean", 2.25],
  // 15 / 4, the longest response
  ["seq-mean-token-sum-norm", 3.75],
] as const)("%s gives %d", (aggregation, loss) => expect(lossOf({ aggregation })).toBeCloseTo(loss, 6));

test("a constant of one's own", () => {
  expect(lossOf({ aggregation: "seq-mean-token-sum-norm", normaliser: 10 })).toBeCloseTo(1.5, 12);
});

test.each(AGGREGATIONS)("%s: a row that is masked out changes nothing", (aggregation) => {
  const masked = { now: [-1, -1, -1], advantages: [9, 9, 9], mask: [0, 0, 0] };
  expect(lossOf({ aggregation }, [masked])).toBe(lossOf({ aggregation }));
});

test("counts of all batches of a step make parts add up to the whole", () => {
  const counts = { tokens: 6, rows: 2 };
  for (const aggregation of ["token-mean", "seq-mean-token-sum", "seq-mean-token-mean"] as const) {
    const objective = policyGradient.create({ aggregation, counts });
    const parts = rows.map((row) => computeRows(objective, [row]).loss);
    expect((parts[0] as number) + (parts[1] as number)).toBeCloseTo(lossOf({ aggregation }), 12);
  }
});

test("an unknown mode is refused with the known ones", () => {
  const options = { aggregation: "token-meen" } as unknown as AggregationOptions;
  expect(() => policyGradient.create(options)).toThrow(
    /aggregation of policy-gradient is "token-meen".*Did you mean "token-mean"/,
  );
  expect(() => policyGradient.create({ normaliser: 0 })).toThrow("normaliser of policy-gradient is 0");
});
