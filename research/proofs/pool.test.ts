import { expect, test } from "vitest";
import { poolTable, type PooledRun } from "./pool.ts";

const run = (arm: string, seed: number, success: number | null): PooledRun => ({
  study: "s",
  arm,
  seed,
  success,
  area: null,
  updates: 10,
  steps: 100,
  modelTokens: 1_000,
  teacherTokens: 0,
  metrics: {},
});

test("differences are paired by seed; an interval stands from three pairs on; runs without a measurement are left out", () => {
  const base = [run("grpo", 1, 0.5), run("grpo", 2, 0.6), run("grpo", 3, 0.7)];
  // Differences 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, half width 4.302653 * 0.1 / sqrt(3) = 0.248414.
  const more = [
    run("a", 1, 0.6),
    run("a", 2, 0.8),
    run("a", 3, 1),
    run("b", 2, 0.5),
    run("b", 9, 0.9),
    run("c", 1, null),
  ];
  const [, , ...lines] = poolTable([...base, ...more], "grpo", "success");
  expect(lines).toEqual([
    "| grpo | 3 | 10 | 100 | 1000 | 0 | 0.600 |  |",
    "| a | 3 | 10 | 100 | 1000 | 0 | 0.800 | 0.200 [−0.048, 0.448] |",
    "| b | 2 | 10 | 100 | 1000 | 0 | 0.700 | −0.100 |",
  ]);
});
