import fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { pairedPermutationTest, signTest } from "./paired-tests.ts";

test("sign test worked by hand", () => {
  // 7 better, 1 worse, 2 alike: 2 (C(8,0) + C(8,1)) / 2^8 = 2 · 9 / 256 = 0.0703125.
  const differences = [1, 2, 1, 3, 1, 1, 4, -2, 0, 0];
  expect(signTest(differences)).toMatchObject({ better: 7, worse: 1, equal: 2 });
  expect(signTest(differences).p).toBeCloseTo(0.0703125, 12);
  // 4 against 4 is as even as it gets; nothing to compare is no evidence.
  expect(signTest([1, 1, 1, 1, -1, -1, -1, -1]).p).toBe(1);
  expect(signTest([0, 0]).p).toBe(1);
  // 2,000 of 2,000: 2^-1999 is below the smallest number, so 0, and never NaN.
  expect(signTest(new Float64Array(2_000).fill(1)).p).toBe(0);
});

test("sign flips worked by hand", () => {
  // 1, 2, 3: |sum| is 6 only when all signs agree: 2 of 8. With -1, 2, 3 the sum is 4: ±6 and ±4 reach it: 4 of 8.
  expect(pairedPermutationTest([1, 2, 3])).toEqual({ p: 0.25, exact: true });
  expect(pairedPermutationTest([-1, 2, 3])).toEqual({ p: 0.5, exact: true });
  expect(pairedPermutationTest([0, 0])).toEqual({ p: 1, exact: true });
  // 0.1 + 0.2 + 0.3 in another order is another double; all signs agreeing must still count as reached.
  expect(pairedPermutationTest([0.3, 0.1, 0.2]).p).toBe(0.25);
  expect(() => pairedPermutationTest([NaN, 1])).toThrow(/not a number/);
});

test("beyond sixteen differences it draws, and agrees with the exact one", () => {
  // Sixteen values, exactly; with a seventeenth of nearly nothing, by drawing.
  const sixteen = Array.from({ length: 16 }, (_, index) => (index - 3.5) / 10);
  const exact = pairedPermutationTest(sixteen);
  const drawn = pairedPermutationTest([...sixteen, 1e-12], { rng: createRng(4), draws: 4_000 });
  expect([exact.exact, drawn.exact]).toEqual([true, false]);
  // 4,000 draws of p = 0.02 or so spread by 0.0022; four of those are 0.009.
  expect(Math.abs(exact.p - drawn.p)).toBeLessThan(0.009);
});

test("neither test minds which side is called left", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 9 }), (differences) => {
      const turned = differences.map((value) => -value);
      expect(signTest(turned).p).toBe(signTest(differences).p);
      expect(pairedPermutationTest(turned).p).toBe(pairedPermutationTest(differences).p);
    }),
  );
});

test("both keep their level when nothing differs", () => {
  // Exact tests reject at most 5 in 100; 1,000 simulations spread by 0.0069, three of those are 0.021.
  const rng = createRng("level");
  let [signs, flips] = [0, 0];
  for (let simulation = 0; simulation < 1_000; simulation += 1) {
    const differences = Array.from({ length: 8 }, () => rng.normal());
    if (signTest(differences).p <= 0.05) signs += 1;
    if (pairedPermutationTest(differences).p <= 0.05) flips += 1;
  }
  expect(signs).toBeLessThan(71);
  expect(flips).toBeLessThan(71);
  // 2^8 = 256 assignments: the level is reached to within 2 / 256, so flips are not merely timid.
  expect(flips).toBeGreaterThan(20);
});
