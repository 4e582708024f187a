import { expect, test } from "vitest";
import { formatBytes, formatCount, formatDuration, formatNumber, plural } from "./units.ts";

test("counts, bytes and times as people read them", () => {
  expect([0, 1234567].map(formatCount)).toEqual(["0", "1,234,567"]);
  expect([0, 999, 1000, 999_499, 1_500_000, 123_456_789, 5e12].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "999 kB",
    "1.5 MB",
    "123 MB",
    "5.0 TB",
  ]);
  expect([0, 340.4, 1500, 61_000, 3_723_000].map(formatDuration)).toEqual([
    "0 ms",
    "340 ms",
    "1.5 s",
    "1 min 01 s",
    "1 h 02 min",
  ]);
  expect([plural(1, "run"), plural(2, "run"), plural(0, "trajectory", "trajectories")]).toEqual([
    "1 run",
    "2 runs",
    "0 trajectories",
  ]);
});

test("keeps small numbers visible", () => {
  expect([1, -0.5, 0.123456, 12.34567, 0.000001, Number.NaN].map(formatNumber)).toEqual([
    "1",
    "-0.5",
    "0.1235",
    "12.346",
    "1.00e-6",
    "NaN",
  ]);
});
