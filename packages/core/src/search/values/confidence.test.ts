import { expect, test } from "vitest";
import type { SearchNode } from "../../walk/tree/node.ts";
import { confidenceOf } from "./confidence.ts";

const node = (parent: SearchNode | undefined, logprob: number | undefined, said: number): SearchNode =>
  ({ parent, logprob, said }) as SearchNode;

test("the geometric mean of what was said on the way", () => {
  const root = node(undefined, undefined, 0);
  // Probabilities 1/2 and 1/8 over 2 tokens, then 1/4 over 1: (1/64)^(1/3) = 1/4.
  const first = node(root, Math.log(1 / 16), 2);
  const second = node(first, Math.log(1 / 4), 1);
  expect(confidenceOf(second)).toBeCloseTo(1 / 4, 12);
  expect(confidenceOf(root)).toBeUndefined();
});
