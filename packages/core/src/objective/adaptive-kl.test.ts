import { expect, test } from "vitest";
import { adaptKl } from "./adaptive-kl.ts";

const options = { target: 0.1, horizon: 10_000 };

test("moves towards the target, by 20% of the way at most", () => {
  // 0.15 / 0.1 - 1 = 0.5, held at 0.2; 0.2 (1 + 0.2 * 100 / 10,000) = 0.2004.
  expect(adaptKl(0.2, { kl: 0.15, steps: 100 }, options)).toBeCloseTo(0.2004, 12);
  // 0.09 / 0.1 - 1 = -0.1: 0.2 (1 - 0.001) = 0.1998.
  expect(adaptKl(0.2, { kl: 0.09, steps: 100 }, options)).toBeCloseTo(0.1998, 12);
  expect(adaptKl(0.2, { kl: 0.1, steps: 100 }, options)).toBeCloseTo(0.2, 12);
});

test("a target of 0 is refused", () => {
  expect(() => adaptKl(0.2, { kl: 0.1, steps: 1 }, { target: 0, horizon: 1 })).toThrow("target of adaptKl is 0");
});
