import { expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { createRng } from "../rng.ts";
import { compareArms } from "./compare-arms.ts";
import { standings } from "./tiers.ts";

test("three arms over four seeds, worked by hand", () => {
  const arms = { a: [0.9, 0.7, 0.8, 0.6], b: [0.5, 0.3, 0.5, 0.3], c: [0.5, 0.4, 0.4, 0.3] };
  const [ab, ac, bc] = compareArms(arms);
  // a - b: 0.4, 0.4, 0.3, 0.3: mean 0.35, s = 0.057735, error 0.028868, t = 12.124356 = 7 sqrt(3) with 3
  // degrees: p = 1 - (2 / pi) (7 / 50 + atan 7) = 1 - 0.636620 · 1.568899 = 0.001208;
  // half 3.182446 · 0.028868 = 0.091869.
  expect(ab).toMatchObject({ left: "a", right: "b", pairs: 4, better: "a", permutationP: 0.125 });
  expect(ab!.difference).toBeCloseTo(0.35, 12);
  expect(ab!.interval.low).toBeCloseTo(0.258131, 5);
  expect(ab!.p).toBeCloseTo(0.001208, 6);
  expect(ab!.simultaneous.low).toBeLessThan(ab!.interval.low);
  // a - c: 0.4, 0.3, 0.4, 0.3 has the same mean and spread, so both are times 3; b - c is 0, -0.1, 0.1, 0: t = 0, p = 1.
  expect(ac!.adjustedP).toBeCloseTo(3 * ab!.p, 12);
  expect(bc).toMatchObject({ better: null, adjustedP: 1 });
  expect(bc!.sign).toEqual({ p: 1, better: 1, worse: 1, equal: 2 });
});

test("missing seeds leave their pair out, and a baseline needs fewer comparisons", () => {
  const arms = { a: [1, null, 3, 4], b: [0, 1, 1, 3], base: [0, 1, null] };
  expect(compareArms(arms)[0]).toMatchObject({ pairs: 3 });
  expect(compareArms(arms, { against: "base" }).map(({ left, right }) => [left, right])).toEqual([
    ["base", "a"],
    ["base", "b"],
  ]);
  expect(compareArms(arms, { against: "base" })[0]).toMatchObject({ pairs: 1, p: 1, better: null });
  expect(compareArms({ a: [], b: [] })[0]).toMatchObject({ pairs: 0, difference: NaN, better: null });
});

test("identical arms: hardly any tournament has a separated pair, and almost none a winner", () => {
  // Success over 16 tasks, five arms, three to ten seeds, all arms the same. Holm promises at most 5 in 100 tournaments
  // with any false separation: of 400, 20 ± 3 · sqrt(400 · 0.05 · 0.95) = 13. A winner must beat all four others.
  const rng = createRng("identical arms");
  const tournaments = tries(120, 400);
  let [separated, winners] = [0, 0];
  for (let tournament = 0; tournament < tournaments; tournament += 1) {
    const seeds = Array.from({ length: 3 + (tournament % 8) }, () => rng.normal());
    const success = (shared: number): number => Math.round(16 * (0.5 + 0.1 * shared + 0.1 * rng.normal())) / 16;
    const arms = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, seeds.map(success)]));
    const compared = compareArms(arms);
    if (compared.some(({ better }) => better !== null)) separated += 1;
    const better = (left: string, right: string): string | null =>
      compared.find((pair) => [pair.left, pair.right].includes(left) && [pair.left, pair.right].includes(right))
        ?.better ?? null;
    if (standings(Object.keys(arms), better).winner !== null) winners += 1;
  }
  expect(separated).toBeLessThanOrEqual(0.05 * tournaments + 3 * Math.sqrt(tournaments * 0.05 * 0.95));
  expect(winners).toBeLessThanOrEqual(tournaments / 100);
});

test("simultaneous intervals hold together in about 95 of 100 tournaments, or more", () => {
  // 500 simulations of 0.95 spread by 0.0097; three of those are 0.029. Bonferroni may be wider, never narrower.
  const rng = createRng("simultaneous");
  const tournaments = tries(200, 500);
  let together = 0;
  for (let tournament = 0; tournament < tournaments; tournament += 1) {
    const arms = Object.fromEntries(
      ["a", "b", "c"].map((name, index) => [name, Array.from({ length: 6 }, () => index + rng.normal())]),
    );
    const truth: Readonly<Record<string, number>> = { a: 0, b: 1, c: 2 };
    if (
      compareArms(arms).every(({ left, right, simultaneous: { low, high } }) => {
        const difference = truth[left]! - truth[right]!;
        return low <= difference && difference <= high;
      })
    )
      together += 1;
  }
  expect(together / tournaments).toBeGreaterThan(0.95 - 3 * Math.sqrt((0.95 * 0.05) / tournaments));
});
