import { expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { decide, seedsMissing } from "./decide.ts";

test("paired differences by hand", () => {
  // Differences 0.10, 0.14, 0.06: mean 0.10, sample deviation 0.04, error 0.04 / sqrt(3) = 0.023094;
  // t(0.975, 2) = 4.302653, so the interval is 0.10 ± 0.099367, and t = 4.3301 gives p = 0.0494.
  const { comparisons, standings } = decide({ new: [0.5, 0.6, 0.4], old: [0.4, 0.46, 0.34] });
  expect(comparisons).toHaveLength(1);
  expect(comparisons[0]).toMatchObject({ left: "new", right: "old", pairs: 3, better: "new", moreSeeds: 0 });
  expect(comparisons[0]?.difference).toBeCloseTo(0.1, 12);
  expect(comparisons[0]?.interval.low).toBeCloseTo(0.000633, 5);
  expect(comparisons[0]?.interval.high).toBeCloseTo(0.199367, 5);
  expect(comparisons[0]?.adjustedP).toBeCloseTo(0.0494, 3);
  expect(standings.winner).toBe("new");
});

test("the same difference among three arms is not enough: there are three pairs to be wrong about", () => {
  const { comparisons, standings } = decide({
    new: [0.5, 0.6, 0.4],
    old: [0.4, 0.46, 0.34],
    other: [0.45, 0.3, 0.6],
  });
  expect(comparisons.map(({ better }) => better)).toEqual([null, null, null]);
  expect(standings.winner).toBeNull();
  expect(standings.arms.map(({ bestRank, worstRank }) => [bestRank, worstRank])).toEqual([
    [1, 3],
    [1, 3],
    [1, 3],
  ]);
});

test("against a baseline the others are on the left, and only they are compared", () => {
  const { comparisons } = decide({ base: [0.2, 0.3, 0.4], one: [0.3, 0.4, 0.6], two: [0.1, 0.3, 0.3] }, "base");
  expect(comparisons.map(({ left, right }) => [left, right])).toEqual([
    ["one", "base"],
    ["two", "base"],
  ]);
  // (0.1 + 0.1 + 0.2) / 3 and (-0.1 + 0 - 0.1) / 3
  expect(comparisons[0]?.difference).toBeCloseTo(0.4 / 3, 12);
  expect(comparisons[1]?.difference).toBeCloseTo(-0.2 / 3, 12);
  expect(comparisons[1]?.interval.low).toBeLessThan(comparisons[1]?.difference ?? 0);
});

test("a missing run leaves its seed out, and one shared seed separates nothing", () => {
  const { comparisons } = decide({ one: [0.9, null, 0.9], two: [0.1, 0.1, null] });
  expect(comparisons[0]).toMatchObject({ pairs: 1, better: null, moreSeeds: null });
});

test("seeds that are missing, by hand", () => {
  // Mean 0.1, deviation 0.1, one comparison: t = sqrt(n) against t(0.975, n - 1).
  // n = 6: 2.449 < 2.571; n = 7: 2.646 > 2.447. So 7 are enough, 4 more than 3.
  const half = (4.302_652_73 * 0.1) / Math.sqrt(3);
  const seen = { pairs: 3, difference: 0.1, interval: { low: 0.1 - half, high: 0.1 + half } };
  expect(seedsMissing(seen, 1)).toBe(4);
  // Three comparisons ask for t(1 - 0.05 / 6, n - 1): n = 9: 3.000 < 3.016; n = 10: 3.162 > 2.933.
  expect(seedsMissing(seen, 3)).toBe(7);
  expect(seedsMissing({ ...seen, difference: 0 }, 1)).toBeNull();
  expect(seedsMissing({ ...seen, difference: 1e-6 }, 1)).toBeNull();
});

/** A run's area under the curve: five points of 48 tasks each; what a seed's tasks are worth is shared by all arms. */
function area(chance: number, rng: Rng): number {
  let solved = 0;
  for (let point = 0; point < 5; point += 1) {
    const rising = Math.min(0.95, chance * (0.5 + point / 5));
    for (let task = 0; task < 48; task += 1) solved += Number(rng.float() < rising);
  }
  return solved / (5 * 48);
}

/** Share of tournaments in which some arm is called better than another. */
function declared(arms: number, seeds: number, tournaments: number, lift = 0): number {
  let found = 0;
  for (let one = 0; one < tournaments; one += 1) {
    const rng = createRng("tournaments").split(`${arms} ${seeds} ${one}`);
    const luck = Array.from({ length: seeds }, () => 0.5 + 0.15 * rng.normal());
    const names = Array.from({ length: arms }, (_, at) => `arm ${at}`);
    // What training itself draws differs from arm to arm.
    const scores = names.map((name, at) => [
      name,
      luck.map((chance) => area(chance + 0.05 * rng.normal() + (at === 0 ? lift : 0), rng)),
    ]);
    const { comparisons } = decide(Object.fromEntries(scores) as Record<string, number[]>);
    if (comparisons.some(({ better }) => better !== null)) found += 1;
  }
  return found / tournaments;
}

test.each([
  [2, 3],
  [2, 10],
  [3, 3],
  [5, 5],
])("%i identical recipes with %i seeds: a winner in at most 5 of 100 tournaments", (arms, seeds) => {
  const tournaments = Math.round(tries(300, 800) / arms);
  // Three standard deviations of a share of 0.05 in 400 draws are 0.033, in 160 draws 0.052.
  expect(declared(arms, seeds, tournaments)).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / tournaments));
});

test("identical recipes, 100 tournaments: no winner in at least 95", () => {
  expect(declared(2, 3, 100)).toBeLessThanOrEqual(0.05);
  expect(declared(3, 3, 100)).toBeLessThanOrEqual(0.05);
});

test("a recipe that is much better is found", () => {
  expect(declared(2, 8, 50, 0.3)).toBeGreaterThan(0.9);
});
