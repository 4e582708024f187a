import { expect, test } from "vitest";
import { topCandidates } from "./candidates.ts";

// Two tokens over a vocabulary of four.
const distribution = Float32Array.of(-3, -1, -2, -1, -0.5, -4, -9, -1.5);

test("the most likely words first, ties by the smaller id", () => {
  const { count, ids, logprobs } = topCandidates(distribution, 4, 2);
  expect(count).toBe(2);
  expect([...ids]).toEqual([1, 3, 0, 3]);
  expect([...logprobs]).toEqual([-1, -1, -0.5, -1.5]);
});

test("as many as the vocabulary has are all of it, in order", () => {
  const { count, ids, logprobs } = topCandidates(distribution, 4, 9);
  expect(count).toBe(4);
  expect([...ids]).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
  expect(logprobs).toEqual(distribution);
});
