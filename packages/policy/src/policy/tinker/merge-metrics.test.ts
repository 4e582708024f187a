import { expect, test } from "vitest";
import { mergeMetrics } from "./datum.ts";

test("each metric is merged by the word after its colon; means by rows", () => {
  const merged = mergeMetrics([
    {
      rows: 1,
      metrics: { "loss:sum": 2, "loss:mean": 4, "a:min": 1, "b:max": 5, "c:slack": 2, "d:unique": 7, plain: 1 },
    },
    {
      rows: 3,
      metrics: { "loss:sum": 3, "loss:mean": 8, "a:min": -1, "b:max": 6, "c:slack": 6, "d:unique": 9, plain: 5 },
    },
  ]);
  // mean: (1 * 4 + 3 * 8) / 4 = 7   slack: (2 + 18) / 4 = 5   plain: (1 + 15) / 4 = 4
  expect(merged).toEqual({
    "loss:sum": 5,
    "loss:mean": 7,
    "a:min": -1,
    "b:max": 6,
    "c:slack": 5,
    "d:unique_0": 7,
    "d:unique_1": 9,
    plain: 4,
  });
});

test("a metric that one part lacks is that of the others", () => {
  expect(
    mergeMetrics([
      { rows: 2, metrics: { "x:mean": 3 } },
      { rows: 5, metrics: {} },
    ]),
  ).toEqual({ "x:mean": 3 });
});
