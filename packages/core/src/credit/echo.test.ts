import { expect, test } from "vitest";
import { answers, assign, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { echo } from "./echo.ts";

const said = (...logprobs: number[]) => logprobs.map((logprob) => ({ logprobs: { old: [logprob] } }));

test("v A + b H, by hand: three of four agree", () => {
  // A = 0.25, 0.25, 0.25, -0.75; v = 0.75; H = 0.1, 0.2, 0.3, 2 at 0.01 each.
  const batch = answers([1, 1, 1, 0], said(-0.1, -0.2, -0.3, -2));
  expect(rowAdvantages(echo, batch, { normByStd: false })).toEqual([0.1885, 0.1895, 0.1905, -0.5425]);
  const { terms, metrics } = assign(echo, batch, { normByStd: false });
  expect(Array.from(terms["outcome"]!.perRow!, round)).toEqual([0.1875, 0.1875, 0.1875, -0.5625]);
  expect(metrics["agreement"]).toBe(0.75);
});

test("a vote that is nearly even moves half as much as one without dissent could, and surprise has a limit", () => {
  // A = 0.5 and -0.5, v = 0.5: 0.25; the surprise of 9 counts as 5.
  expect(rowAdvantages(echo, answers([1, 0], said(-9, 0)), { normByStd: false })).toEqual([0.3, -0.25]);
  expect(rowAdvantages(echo, answers([1, 0], said(-9, 0)), { normByStd: false, bonus: 0 })).toEqual([0.25, -0.25]);
});
