import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createIslands } from "./evolution.ts";

const options = { islands: 2, capacity: 2, temperature: 0.5, novelty: 0 };
const born = (fitness: number, kind = String(fitness)) => ({ item: fitness, fitness, kind, parents: [] });

test("an island keeps its fittest, and of equals the older", () => {
  const islands = createIslands<number>(options);
  for (const fitness of [1, 3, 2, 3]) islands.add(0, born(fitness));
  expect(islands.on(0).map(({ id }) => id)).toEqual([1, 3]);
  expect(islands.best?.id).toBe(1);
  expect(islands.on(1)).toEqual([]);
  expect(islands.parent(1, createRng(0))).toBeUndefined();
});

test("the best of an island moves on to the next, and stays", () => {
  const islands = createIslands<number>(options);
  islands.add(0, born(5));
  islands.add(1, born(1));
  islands.migrate();
  expect(islands.on(0).map(({ fitness }) => fitness)).toEqual([5, 1]);
  expect(islands.on(1).map(({ fitness }) => fitness)).toEqual([5, 1]);
  islands.migrate();
  expect(islands.on(1)).toHaveLength(2);
});

test("parents are drawn in the proportions of the formula", () => {
  const islands = createIslands<number>({ ...options, capacity: 4, novelty: 1 });
  // Kinds a, a, b: rarities 1/2, 1/2, 1. Worths 1.5, 0.5, 1. Weights at temperature 0.5: 1, e^-2, e^-1.
  islands.add(0, born(1, "a"));
  islands.add(0, born(0, "a"));
  islands.add(0, born(0, "b"));
  const rng = createRng("parents");
  const counts = [0, 0, 0];
  for (let draw = 0; draw < 6_000; draw += 1) counts[islands.parent(0, rng)?.id ?? 0]! += 1;
  const total = 1 + Math.exp(-2) + Math.exp(-1);
  expect(counts[0]! / 6_000).toBeCloseTo(1 / total, 1);
  expect(counts[1]! / 6_000).toBeCloseTo(Math.exp(-2) / total, 1);
  expect(counts[2]! / 6_000).toBeCloseTo(Math.exp(-1) / total, 1);
});

test("the best fitness never falls, and every parent is older than its child", () => {
  const births = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.double({ min: -1, max: 1, noNaN: true })), { minLength: 1 });
  fc.assert(
    fc.property(births, fc.nat(), (list, seed) => {
      const islands = createIslands<number>({ islands: 3, capacity: 3, temperature: 0.2, novelty: 0.1 });
      const rng = createRng(seed);
      let best = Number.NEGATIVE_INFINITY;
      for (const [island, fitness] of list) {
        const parent = islands.parent(island, rng);
        islands.add(island, { ...born(fitness), parents: parent === undefined ? [] : [parent.id] });
        expect(islands.best?.fitness).toBeGreaterThanOrEqual(best);
        best = islands.best?.fitness ?? best;
        islands.migrate();
      }
      for (const { id, parents } of islands.members) for (const parent of parents) expect(parent).toBeLessThan(id);
    }),
  );
});
