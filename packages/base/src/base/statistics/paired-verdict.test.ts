import { expect, test } from "vitest";
import { pairedVerdict } from "./paired-verdict.ts";

/** So many tasks on which the second arm is ahead, behind, right with the first, wrong with it. */
const tasks = (ahead: number, behind: number, right = 0, wrong = 0) => [
  ...Array.from({ length: ahead }, () => [0, 1] as const),
  ...Array.from({ length: behind }, () => [1, 0] as const),
  ...Array.from({ length: right }, () => [1, 1] as const),
  ...Array.from({ length: wrong }, () => [0, 0] as const),
];

test("successes and failures: McNemar's exact test by hand", () => {
  // 10 discordant, 9 against 1: p = 2 (1 + 10) / 2^10 = 22/1024.
  expect(pairedVerdict(tasks(9, 1, 5, 5))).toMatchObject({
    verdict: "better",
    test: "mcnemar",
    p: expect.closeTo(22 / 1024, 12) as number,
    difference: 0.4,
    better: 9,
    worse: 1,
    equal: 10,
    more: 0,
  });
  expect(pairedVerdict(tasks(1, 9, 5, 5))).toMatchObject({
    verdict: "worse",
    p: expect.closeTo(22 / 1024, 12) as number,
    difference: -0.4,
  });
});

test("a tie says how many tasks more would decide it", () => {
  // 7 against 3 of 20: p = 2 (1 + 10 + 45 + 120) / 1024 = 352/1024. d = 0.5, e = 0.2:
  // ((1.959964 sqrt(0.5) + 0.841621 sqrt(0.46)) / 0.2)^2 = ((1.385904 + 0.570815) / 0.2)^2 = 95.72, and 1 / 0.2 = 5 for the exact test: 101 in all.
  expect(pairedVerdict(tasks(7, 3, 5, 5))).toMatchObject({
    verdict: "tied",
    p: expect.closeTo(352 / 1024, 12) as number,
    more: 81,
  });
});

test("the tasks it asks for do separate the two as often as it says: the exact power, summed up", () => {
  for (const [ahead, behind, same] of [
    [7, 3, 10],
    [3, 1, 6],
  ] as const) {
    const found = pairedVerdict(tasks(ahead, behind, same));
    const chance = power(found.tasks + (found.more ?? 0), (ahead + behind) / found.tasks, ahead / (ahead + behind));
    expect(chance).toBeGreaterThan(0.77);
    expect(chance).toBeLessThan(0.9);
  }
  // Five of five are never below 0.05: 2 / 2^5 = 0.0625.
  expect(pairedVerdict(tasks(1, 0)).more).toBe(5);
});

/** The chance that McNemar's exact test is below 0.05 with so many tasks, each of which differs and then is a gain with these chances. */
function power(count: number, differs: number, gains: number): number {
  const ways = (n: number, share: number): number[] => {
    let all = [1];
    for (let draw = 0; draw < n; draw += 1)
      all = Array.from({ length: all.length + 1 }, (_, k) => (all[k] ?? 0) * (1 - share) + (all[k - 1] ?? 0) * share);
    return all;
  };
  return ways(count, differs).reduce((total, chance, discordant) => {
    if (chance < 1e-9) return total;
    const fair = ways(discordant, 0.5);
    const tail = (k: number): number =>
      fair.slice(0, Math.min(k, discordant - k) + 1).reduce((sum, one) => sum + one, 0);
    const rejects = ways(discordant, gains).reduce((sum, one, k) => sum + (2 * tail(k) < 0.05 ? one : 0), 0);
    return total + chance * rejects;
  }, 0);
}

test("no difference at all: no number of tasks would decide it", () => {
  expect(pairedVerdict(tasks(3, 3, 4))).toMatchObject({ verdict: "tied", p: 1, difference: 0, more: null });
  expect(pairedVerdict(tasks(0, 0, 4, 4))).toMatchObject({ verdict: "tied", difference: 0, more: null });
});

test("graded scores: Student's t on the differences by hand", () => {
  // Differences 0.1, 0.2, 0.3: mean 0.2, s 0.1, error 0.057735, t 3.4641 with 2 degrees: p = 0.0742; t(0.975, 2) = 4.302653.
  const graded = pairedVerdict([
    [0.1, 0.2],
    [0.2, 0.4],
    [0.3, 0.6],
  ]);
  expect(graded).toMatchObject({ verdict: "tied", test: "t", better: 3, worse: 0, equal: 0 });
  expect(graded.p).toBeCloseTo(0.0742, 4);
  expect([graded.low, graded.high]).toEqual([expect.closeTo(-0.048_414, 5), expect.closeTo(0.448_414, 5)]);
  // ((1.959964 + 0.841621) 0.1 / 0.2)^2 = 1.96: two in all, which were there; at least one more.
  expect(graded.more).toBe(1);
});

test("the verdict is the interval's, at every confidence", () => {
  const pairs = [0.9, 0.4, 0.8, 0.7, 0.1, 0.6].map((gain) => [1, 1 + gain] as const);
  for (const confidence of [0.5, 0.9, 0.99, 0.999]) {
    const { verdict, low } = pairedVerdict(pairs, { confidence });
    expect(verdict === "better").toBe(low > 0);
  }
});

test("nothing to compare, and what is no number, are refused", () => {
  expect(() => pairedVerdict([])).toThrow("at least one pair");
  expect(() => pairedVerdict([[Number.NaN, 1]])).toThrow("finite scores");
});
