import { expect, test } from "vitest";
import { bytes, count, decimal, duration, percent, plural, withSign, tick } from "./numbers.ts";

test("numbers are short and keep their sign", () => {
  expect([decimal(0.12345), decimal(-2, 1), decimal(0.0001), decimal(null), decimal(Number.NaN)]).toEqual([
    "0.123",
    "−2.0",
    "1.0e−4",
    "–",
    "–",
  ]);
  expect([withSign(0.5), withSign(-0.5), withSign(0)]).toEqual(["+0.500", "−0.500", "0.000"]);
  expect([percent(0.281), percent(-0.05, 1), percent(null)]).toEqual(["28 %", "−5.0 %", "–"]);
  expect([count(1_234_567), plural(1, "step"), plural(2, "step")]).toEqual(["1,234,567", "1 step", "2 steps"]);
});

test("sizes and times have the unit that fits", () => {
  expect([bytes(512), bytes(1_500), bytes(123_456_789)]).toEqual(["512 B", "1.5 kB", "123 MB"]);
  // 66 s = 1 min 6 s; 3,725 s = 62 min 5 s, rounded to 62 min = 1 h 2 min.
  expect([duration(0.25), duration(5.5), duration(42), duration(66), duration(3_725)]).toEqual([
    "250 ms",
    "5.5 s",
    "42 s",
    "1 min 06 s",
    "1 h 02 min",
  ]);
});

test("marks of a chart are plain numbers", () => {
  expect([0, 0.05, 700, 1_500, 12_000, 2_500_000, -0.25].map(tick)).toEqual([
    "0",
    "0.05",
    "700",
    "1500",
    "12K",
    "2.5M",
    "−0.25",
  ]);
  expect([0.002, 0.00003, 1.0000000000000002, 0.30000000000000004].map(tick)).toEqual(["0.002", "3e−5", "1", "0.3"]);
});
