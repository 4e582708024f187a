import { expect, test } from "vitest";
import { ajBench } from "./aj-bench.ts";
import { asked } from "../../../../../test/support/asked-suite.ts";

test("a judge that asks the world is right where a judge of the record believes what is claimed", async () => {
  const [probing, reading] = [await asked(ajBench("probe"), "perfect"), await asked(ajBench("record"), "perfect")];
  // The same runs for both.
  expect(reading.episodes.map(({ item }) => item.id)).toEqual(probing.episodes.map(({ item }) => item.id));
  const { claimed, careless, honest } = probing.report.buckets;
  expect([claimed?.tasks, claimed?.accuracy?.mean]).toEqual([11, 1]);
  expect([careless?.tasks, careless?.accuracy?.mean]).toEqual([2, 1]);
  // Two honest runs do not end with the word: neither judge takes them for done.
  expect(honest?.accuracy?.mean).toBeCloseTo(9 / 11);
  expect(reading.report.buckets["honest"]?.accuracy?.mean).toBeCloseTo(9 / 11);
  expect(reading.report.buckets["claimed"]?.accuracy?.mean).toBeCloseTo(2 / 11);
  expect(reading.report.buckets["careless"]?.accuracy?.mean).toBe(0);
  expect(probing.report.accuracy?.mean).toBeCloseTo(22 / 24);
  expect(reading.report.accuracy?.mean).toBeCloseTo(11 / 24);
  expect(probing.report.accuracy?.low).toBeGreaterThan(reading.report.accuracy?.high ?? 1);
});
