import { expect, test } from "vitest";
import { crossEntropy } from "./cross-entropy.ts";
import { onlyRows } from "./only-rows.ts";

test("rows that are not meant count in no mean and get no weight", () => {
  const row = (trajectory: string) => ({ ids: new Int32Array(2), mask: Uint8Array.of(0, 1), trajectory });
  const live = { logprob: [Float64Array.of(0, -1), Float64Array.of(0, -3)] };
  const objective = onlyRows(crossEntropy.create(), ({ trajectory }) => trajectory === "b");
  const { loss, weights } = objective.compute(live, live, [row("a"), row("b")]);
  // Of the two only the second: -(-3) / 1, not the mean 2.
  expect(loss).toBe(3);
  expect(weights.logprob?.map((one) => [...one])).toEqual([
    [0, 0],
    [0, -1],
  ]);
});
