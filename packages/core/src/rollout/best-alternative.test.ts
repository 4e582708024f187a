import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { bestAlternative } from "./counterfactual.ts";

test("the best alternative, if the original scored too little and it enough; of equals the first", () => {
  const limits = { below: 0.5, above: 0.6 };
  expect(bestAlternative(0.49, [0.61, 0.7, 0.7], limits)).toBe(1);
  expect(bestAlternative(0.5, [0.9], limits)).toBeUndefined();
  expect(bestAlternative(0.1, [0.6, null], limits)).toBeUndefined();
  expect(bestAlternative(0.1, [null, 0.61], limits)).toBe(1);
});

interface Scored {
  readonly below: number;
  readonly above: number;
  /** Of each step: the score of what was done, then those of its alternatives. */
  readonly scores: readonly (readonly [number, ...number[]])[];
  /** The candidate that is played on, counted from the original; null: the step is left alone. */
  readonly chosen: readonly (number | null)[];
}

test("the published code plays the same steps otherwise, with the same candidates", () => {
  const { cases } = published<Scored>("cso");
  expect(cases.length).toBeGreaterThan(10);
  for (const { below, above, scores, chosen } of cases) {
    const found = scores.map(([original, ...others]) => {
      const best = bestAlternative(original, others, { below, above });
      return best === undefined ? null : best + 1;
    });
    expect(found).toEqual(chosen);
  }
});
