import { expect, test } from "vitest";
import { advantages, answers, assign } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { reinforcePlusPlus } from "./reinforce-plus-plus.ts";

const batch = answers([1, 0], [{ mask: [1, 1] }, { mask: [1, 1, 1] }]);

test("whitens discounted returns over the batch", () => {
  // gamma 0.9: G = [0.9, 1 | 0, 0, 0], mean 1.9 / 5 = 0.38.
  // Squares 0.52^2 + 0.62^2 + 3 * 0.38^2 = 0.2704 + 0.3844 + 0.4332 = 1.088; / 4 = 0.272; root 0.521536.
  // 0.52 / 0.521536 = 0.997054    0.62 / 0.521536 = 1.188796    -0.38 / 0.521536 = -0.728617
  const { returns, advantages: found } = assign(reinforcePlusPlus, batch, { gamma: 0.9 });
  expect(returns?.map((values) => [...values])).toEqual([
    [0.9, 1],
    [0, 0, 0],
  ]);
  const expected = [0.997054, 1.188796, -0.728617, -0.728617, -0.728617];
  for (const [at, value] of found.flatMap((values) => [...values]).entries())
    expect(value).toBeCloseTo(expected[at]!, 5);
});

test("a masked token stops the return, or lets it pass", () => {
  const conversation = answers([1], [{ mask: [1, 1, 0, 1, 1] }]);
  const returnsOf = (resetAtMask: boolean) => [
    ...assign(reinforcePlusPlus, conversation, { resetAtMask }).returns![0]!,
  ];
  // The reward 1 sits on the last token; the tool's output at position 2 is not trained.
  expect(returnsOf(true)).toEqual([0, 0, 0, 1, 1]);
  expect(returnsOf(false)).toEqual([1, 1, 0, 1, 1]);
});

test("one token cannot be whitened: refused, or centred to 0", () => {
  const one = answers([1]);
  expect(() => advantages(reinforcePlusPlus, one)).toThrow(/1 trained token; whitening needs at least 2/);
  expect(advantages(reinforcePlusPlus, one, { tooFewTokens: "centre" })).toEqual([[0]]);
});

publishedCredit("reinforce-plus-plus", reinforcePlusPlus);
