import { expect, test } from "vitest";
import { advantages, answers } from "../../test/support/credit.ts";
import { remax } from "./remax.ts";

test("subtracts the greedy score from the reward to go", () => {
  // The outcome 1 sits on the last of three tokens, so 1 is to go at each; 1 - 0.25 = 0.75.
  const batch = answers([1], [{ mask: [1, 1, 1], greedyScore: 0.25 }]);
  expect(advantages(remax, batch)).toEqual([[0.75, 0.75, 0.75]]);
});

test("token rewards before a token are behind it", () => {
  // To go: 0.5 + 1 = 1.5, then 1 (the masked token's 9 is nobody's).
  const batch = answers([7], [{ mask: [1, 0, 1], tokenRewards: [0.5, 9, 1], greedyScore: 0.25 }]);
  expect(advantages(remax, batch)).toEqual([[1.25, 0, 0.75]]);
});

test("refuses without a greedy rollout", () => {
  expect(() => advantages(remax, answers([1, 0], [{ greedyScore: 1 }]))).toThrow(
    'ReMax needs the score of one greedy rollout of the same task. Row 1 (trajectory "r1", step 0) has no "greedyScore". Add it to every row.',
  );
});
