import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { type Attended, attendTwoLevel, BLOCK, createBlocks, type Keys, summarise } from "./two-level.ts";

const SIZE = 8;

/** Keys and values in an array that begins elsewhere, as those of a head do. */
function random(
  count: number,
  seed: string,
  sharp = 1,
): Keys & { readonly query: Float32Array; readonly own: { key: Float32Array; value: Float32Array } } {
  const rng = createRng(seed);
  const numbers = (length: number, by = 1): Float32Array => Float32Array.from({ length }, () => by * rng.normal());
  const start = 3 * SIZE;
  return {
    keys: numbers(start + count * SIZE),
    values: numbers(start + count * SIZE),
    start,
    count,
    size: SIZE,
    query: numbers(SIZE, sharp),
    own: { key: numbers(SIZE), value: numbers(SIZE) },
  };
}

/** All keys, in double precision. */
function everything({ keys, values, start, count, query, own }: ReturnType<typeof random>): number[] {
  const score = (key: ArrayLike<number>): number => query.reduce((sum, one, at) => sum + one * (key[at] as number), 0);
  const parts = Array.from({ length: count }, (_, at) => {
    const place = start + at * SIZE;
    return { weight: Math.exp(score(keys.subarray(place, place + SIZE))), value: values.subarray(place, place + SIZE) };
  });
  parts.push({ weight: Math.exp(score(own.key)), value: own.value });
  const sum = parts.reduce((total, { weight }) => total + weight, 0);
  return Array.from({ length: SIZE }, (_, at) =>
    parts.reduce((total, { weight, value }) => total + (weight * (value[at] as number)) / sum, 0),
  );
}

function attended(
  given: ReturnType<typeof random>,
  tolerance: number,
  most = 1,
): Attended & { readonly error: number } {
  const full = Math.floor(given.count / BLOCK);
  const blocks = createBlocks(full, SIZE);
  summarise(given, blocks, 0, full);
  const out = new Float32Array(SIZE);
  const done = attendTwoLevel(given.query, given.own, given, blocks, { tolerance, most }, out);
  const truth = everything(given);
  return { ...done, error: Math.max(...truth.map((value, at) => Math.abs(value - (out[at] as number)))) };
}

test("by hand: a block that cannot matter is not looked at", () => {
  // Two blocks and no rest. The query is (1, 0, …): keys of the first block score 10, of the second -10; own key 0.
  const size = SIZE;
  const keys = new Float32Array(2 * BLOCK * size);
  const values = new Float32Array(2 * BLOCK * size);
  for (let at = 0; at < 2 * BLOCK; at += 1) {
    keys[at * size] = at < BLOCK ? 10 : -10;
    values[at * size] = at < BLOCK ? 1 : 5;
  }
  const query = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
  const given = { keys, values, start: 0, count: 2 * BLOCK, size };
  const blocks = createBlocks(2, size);
  summarise(given, blocks, 0, 2);
  expect([blocks.least[0], blocks.greatest[0], blocks.least[size], blocks.reach[1]]).toEqual([10, 10, -10, 5]);
  const out = new Float32Array(size);
  const zero = { key: new Float32Array(size), value: new Float32Array(size) };
  const done = attendTwoLevel(query, zero, given, blocks, { tolerance: 1e-3, most: 1 }, out);
  // The first block weighs 16 e^10, its own key 1, the second at most 16 e^-10: 2e-9 of the whole, times twice 5.
  expect(done.chosen).toEqual([0]);
  expect(done.scored).toBe(BLOCK + 1);
  expect(out[0]).toBeCloseTo(1 - 1 / (16 * Math.exp(10) + 1), 6);
});

test("no number is further off than the tolerance, whatever the keys", () => {
  for (let round = 0; round < 60; round += 1) {
    const given = random(round * 11, `keys ${round}`, 1 + (round % 7));
    for (const tolerance of [1e-2, 1e-3, 1e-5]) {
      expect(attended(given, tolerance).error).toBeLessThanOrEqual(tolerance + 1e-6);
    }
  }
});

test("with a share of the keys no more are scored, and the error is below what it says", () => {
  for (let round = 0; round < 30; round += 1) {
    const given = random(200 + 31 * round, `share ${round}`, 1 + (round % 7));
    const { scored, error, bound } = attended(given, 1e-3, 0.25);
    expect(scored).toBeLessThanOrEqual(0.25 * given.count + 1);
    expect(error).toBeLessThanOrEqual(bound + 1e-6);
  }
});

test("keys that lie together by meaning: few are scored, within the tolerance", () => {
  // Every block has a place of its own; the query asks for one of them.
  const given = random(1_024, "clusters", 0);
  const rng = createRng("noise");
  for (let at = 0; at < given.count; at += 1) {
    const block = Math.floor(at / BLOCK);
    for (let place = 0; place < SIZE; place += 1) {
      given.keys[given.start + at * SIZE + place] = (((block >> (place % 6)) & 1) * 2 - 1) * 3 + 0.05 * rng.normal();
    }
  }
  given.query.set(given.keys.subarray(given.start + 20 * BLOCK * SIZE, given.start + (20 * BLOCK + 1) * SIZE));
  const { scored, error } = attended(given, 1e-3);
  expect(error).toBeLessThanOrEqual(1e-3);
  expect(scored).toBeLessThanOrEqual(0.25 * given.count);
  // A query that asks for nothing weighs all alike.
  expect(attended(random(1_024, "flat", 0), 1e-3).scored).toBe(1_025);
});
