import { expect, test } from "vitest";
import { createRng } from "../rng.ts";
import { meanPassAtK, passAtK, passToTheK } from "./pass-at-k.ts";

test("worked by hand", () => {
  // 10 tries, 3 solved: pass@1 = 0.3; pass@2 = 1 - C(7,2) / C(10,2) = 1 - 21 / 45 = 0.533333; pass@8 = 1 (only 7 failed).
  expect(passAtK(10, 3, 1)).toBeCloseTo(0.3, 12);
  expect(passAtK(10, 3, 2)).toBeCloseTo(24 / 45, 12);
  expect([passAtK(10, 3, 8), passAtK(5, 0, 5), passAtK(1, 1, 1)]).toEqual([1, 0, 1]);
  expect(() => passAtK(4, 2, 5)).toThrow(/pass@5 needs 1 <= k <= tries/);
  // (0.5 + 1) / 2 over two tasks.
  expect(
    meanPassAtK(
      [
        { tries: 4, solved: 2 },
        { tries: 4, solved: 4 },
      ],
      1,
    ).mean,
  ).toBe(0.75);
});

test("it is unbiased: the mean over many draws is 1 - (1 - p)^k", () => {
  // p = 0.2, k = 3: 1 - 0.512 = 0.488. A value lies within 0 to 1, so 20,000 of them spread by at most 0.0036; times 4.
  const rng = createRng("pass at k");
  let total = 0;
  for (let draw = 0; draw < 20_000; draw += 1) {
    total += passAtK(6, [0, 1, 2, 3, 4, 5].filter(() => rng.float() < 0.2).length, 3);
  }
  expect(Math.abs(total / 20_000 - 0.488)).toBeLessThan(0.0144);
});

test("coverage over tasks of unequal difficulty", () => {
  // Chance uniform: mean of 1 - (1 - p)^2 is 2/3. 2,000 simulations spread by 0.0049: three of those, and 0.01 because
  // solved counts are whole numbers.
  const rng = createRng("coverage of pass at k");
  let hits = 0;
  for (let simulation = 0; simulation < 2_000; simulation += 1) {
    const tasks = Array.from({ length: 40 }, () => {
      const chance = rng.float();
      return { tries: 4, solved: [0, 1, 2, 3].filter(() => rng.float() < chance).length };
    });
    const { low, high } = meanPassAtK(tasks, 2);
    if (low <= 2 / 3 && 2 / 3 <= high) hits += 1;
  }
  expect(Math.abs(hits / 2_000 - 0.95)).toBeLessThan(0.025);
});

test("pass^k: all of k tries, C(c, k) / C(n, k)", () => {
  // C(3, 2) / C(4, 2) = 3 / 6; two of two; one of two.
  expect(passToTheK(4, 3, 2)).toBeCloseTo(0.5, 12);
  expect([passToTheK(2, 2, 2), passToTheK(2, 1, 2)]).toEqual([1, 0]);
});
