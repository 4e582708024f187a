import { expect, test } from "vitest";
import { assign, episodes, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { mapo } from "./mapo.ts";

const batch = episodes({
  X: { outcome: 1, steps: [{ reward: 0.55 }, { reward: 0.5 }] },
  Y: { outcome: 0, steps: [{ reward: 0.2 }, { reward: 0 }] },
});

const close = (found: readonly number[], expected: readonly number[]): void => {
  expect(found.length).toBe(expected.length);
  for (const [at, value] of expected.entries()) expect(found[at]).toBeCloseTo(value, 5);
};

test("mixes the comparison of returns by turn with that of scores over the task", () => {
  // G: X 0.55 + 0.9 * 0.5 = 1, 0.5; Y 0.2, 0. By turn, of two: 1 and -1.
  // Scores 0.55, 0.5, 0.2, 0: mean 0.3125, squares 0.201875 / 4, deviation 0.224653: 1.057188, 0.834622, -0.500773, -1.391037.
  close(rowAdvantages(mapo, batch), [1.028594, 0.917311, -0.750387, -1.195519]);
  close(rowAdvantages(mapo, batch, { mix: 1 }), [1, 1, -1, -1]);
  close(rowAdvantages(mapo, batch, { mix: 0 }), [1.057188, 0.834622, -0.500773, -1.391037]);
});

test("scores are compared within their task, whatever other tasks have", () => {
  const other = episodes({ Z: { outcome: 1, steps: [{ reward: 9 }, { reward: 8 }] } }, "b");
  close(rowAdvantages(mapo, together(batch, other), { mix: 0 }), [1.057188, 0.834622, -0.500773, -1.391037, 1, -1]);
});

test("version mapo: returns by turn, and over the batch", () => {
  // By turn: 0.4 / 0.565686 and 0.25 / 0.353554, both 0.7071.
  // Batch: mean 0.425, std 0.434933: 1.322037, 0.172440, -0.517320, -0.977160. Halves of both:
  const first = { version: "mapo", deviation: "unbiased", epsilon: 1e-6 };
  close(rowAdvantages(mapo, batch, first), [1.014573, 0.439772, -0.612213, -0.842132]);
});

test("a turn without peers is compared with the others only", () => {
  const uneven = episodes({
    X: { outcome: 1, steps: [{ reward: 0 }, { reward: 1 }] },
    Y: { outcome: 0, steps: [{ reward: 0 }] },
  });
  expect(assign(mapo, uneven).terms["turn"]!.perRow![1]).toBe(0);
  // Scores 0, 1, 0: mean 1/3, deviation sqrt(2) / 3: (2/3) / 0.471405 = 1.414214, halved.
  expect(rowAdvantages(mapo, uneven)[1]).toBeCloseTo(0.707107, 5);
  expect(rowAdvantages(mapo, uneven, { mix: 1 })[1]).toBe(0);
});
