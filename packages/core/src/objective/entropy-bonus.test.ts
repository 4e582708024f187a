import { expect, test } from "vitest";
import { computeRows } from "../../../../test/support/objective.ts";
import { entropyBonus } from "./entropy-bonus.ts";

test("more entropy, less loss", () => {
  // Entropies 1, 2 and 4, the last masked: -(1 + 2) / 2.
  const { loss, slopes, metrics } = computeRows(
    entropyBonus.create(),
    [{ now: [1, 2, 4], mask: [1, 1, 0] }],
    "entropy",
  );
  expect(loss).toBe(-1.5);
  expect(slopes).toEqual([[-0.5, -0.5, 0]]);
  expect(metrics).toEqual({ trainedTokens: 2, entropy: 1.5 });
});

test("a learner without entropy is told what is missing", () => {
  expect(() => computeRows(entropyBonus.create(), [{ now: [1] }])).toThrow('needs the statistic "entropy"');
});
