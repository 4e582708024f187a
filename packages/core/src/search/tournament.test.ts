import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { holdTournament } from "./rtv.ts";

const best = (group: readonly number[]): Promise<number> => Promise.resolve(group.indexOf(Math.max(...group)));

test("with a judge that never errs the best wins, whatever the groups", async () => {
  const settings = fc.record({ size: fc.integer({ min: 2, max: 5 }), votes: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 40 }), settings, async (values, options) => {
      const { winner } = await holdTournament(values, best, { ...options, rng: createRng(1) });
      expect(values[winner]).toBe(Math.max(...values));
    }),
  );
});

test("sixteen in pairs are fifteen comparisons in four rounds, each asked three times", async () => {
  const contenders = Array.from({ length: 16 }, (_, at) => at);
  const found = await holdTournament(contenders, best, { size: 2, votes: 3, rng: createRng(0) });
  // 8 + 4 + 2 + 1 groups, three votes each.
  expect(found).toEqual({ winner: 15, rounds: 4, comparisons: 45 });
});

test("a liking for the first place cancels when all orders are asked", async () => {
  // It says "the first" unless the better one is better by two or more.
  const biased = ([left = 0, right = 0]: readonly number[]): Promise<number> =>
    Promise.resolve(right - left >= 2 ? 1 : 0);
  const once = await holdTournament([3, 4], biased, { size: 2, votes: 1, rng: createRng(0) });
  expect(once.winner).toBe(0);
  // Asked both ways each has one vote, and the first stands; a third ballot in the first order decides.
  const wide = await holdTournament([3, 7], biased, { size: 2, votes: 3, rng: createRng(0) });
  expect(wide.winner).toBe(1);
});

test("a judge that says nothing leaves the first", async () => {
  const found = await holdTournament([1, 9, 5], () => Promise.resolve(undefined), {
    size: 3,
    votes: 2,
    rng: createRng(0),
  });
  expect(found.winner).toBe(0);
  expect(await holdTournament([7], best, { size: 2, votes: 1, rng: createRng(0) })).toMatchObject({
    winner: 0,
    rounds: 0,
  });
});

test("a noisy judge finds the best of sixteen more often in a tournament than in one look at all", async () => {
  // Each value is seen with noise; a look at n at once is n times as noisy, as judges lose the thread of long lists.
  const rng = createRng("noisy judge");
  const noisy = (group: readonly number[]): Promise<number> => {
    const seen = group.map((value) => value + rng.normal() * group.length * 0.35);
    return Promise.resolve(seen.indexOf(Math.max(...seen)));
  };
  const contenders = Array.from({ length: 16 }, (_, at) => at / 2);
  let [tournaments, looks] = [0, 0];
  for (let trial = 0; trial < 400; trial += 1) {
    const { winner } = await holdTournament(contenders, noisy, { size: 2, votes: 3, rng: rng.split(trial) });
    if (winner === 15) tournaments += 1;
    if ((await noisy(contenders)) === 15) looks += 1;
  }
  // About 230 against about 60 of 400.
  expect(tournaments).toBeGreaterThan(2 * looks);
});
