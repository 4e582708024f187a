import { expect, test } from "vitest";
import { answers, assign, episodes, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { r3l } from "./r3l.ts";

test("full successes are 1, partial ones tripled, failures as they are", () => {
  // Mean 0.4: 1, 3 * 0.1, -0.4, -0.3.
  expect(rowAdvantages(r3l, answers([1, 0.5, 0, 0.1]))).toEqual([1, 0.3, -0.4, -0.3]);
  // By s instead: 3 * 0.6.
  expect(rowAdvantages(r3l, answers([1, 0.5, 0, 0.1]), { amplifyFull: true })[0]).toBe(1.8);
});

test("all succeed: still positive, as published", () => {
  expect(rowAdvantages(r3l, answers([1, 1]))).toEqual([1, 1]);
  expect(rowAdvantages(r3l, answers([1, 1]), { amplifyFull: true })).toEqual([0, 0]);
});

test("other baselines", () => {
  // z: 0.5, 0: mean 0.25, std 0.353553; 3 * 0.707105, -0.707105.
  const found = rowAdvantages(r3l, answers([0.5, 0]), { baseline: "z" });
  expect(found[0]).toBeCloseTo(2.121314, 5);
  expect(found[1]).toBeCloseTo(-0.707105, 5);
  // Soft, tau 0.5: 0.5 * ln((e + 1) / 2) = 0.310057; 3 * 0.189943, -0.310057.
  expect(rowAdvantages(r3l, answers([0.5, 0]), { baseline: "soft", tau: 0.5 })).toEqual([0.569828, -0.310057]);
});

const retried = episodes({
  X: { outcome: 0, steps: [{}, {}, {}] },
  Y: {
    outcome: 1,
    steps: [
      { step: 1, parent: { trajectory: "X", step: 1 } },
      { step: 2, parent: { trajectory: "X", step: 1 } },
    ],
  },
});

test("nothing before the pivot", () => {
  // Mean 0.5: the attempt -0.5 from step 1 on, the retry 1.
  expect(rowAdvantages(r3l, retried)).toEqual([0, -0.5, -0.5, 1, 1]);
  expect(rowAdvantages(r3l, retried, { pivotal: false })).toEqual([-0.5, -0.5, -0.5, 1, 1]);
  expect(assign(r3l, retried).metrics["rowsBeforePivot"]).toBe(1);
  // They are in no mean, as in published code, which masks their tokens.
  expect(assign(r3l, retried).dropped).toEqual([0]);
  expect(assign(r3l, retried, { pivotal: false }).dropped).toEqual([]);
});

test("alone the baseline is 0", () => expect(rowAdvantages(r3l, answers([0.5]))).toEqual([1.5]));

publishedCredit("r3l", r3l);
