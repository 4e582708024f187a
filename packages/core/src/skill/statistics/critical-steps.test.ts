import { expect, test } from "vitest";
import { rankCriticalSteps, selectCriticalByStats, type CriticalRow } from "./statistics.ts";

const row = (state: string, value: number, more: Partial<CriticalRow> = {}): CriticalRow => ({
  group: "g",
  state,
  trajectory: `${state} ${value}`,
  step: 0,
  return: value,
  ...more,
});

// Variances: g1 (0.9, 0.5) mean 0.7, 0.04. g2 (1, 0) mean 0.5, 0.25. g3 (0.2, 0.2, 0.8) mean 0.4, (0.04+0.04+0.16)/3 =
// 0.08. Sorted 0.04, 0.08, 0.25: the 0.75 quantile lies at position 1.5, half way from 0.08 to 0.25: 0.165.
const worked = [
  row("g1", 0.9),
  row("g1", 0.5),
  row("g2", 1),
  row("g2", 0),
  row("g3", 0.2, { trajectory: "x" }),
  row("g3", 0.2, { trajectory: "y" }),
  row("g3", 0.8),
];

test("the worked example: only the row of 0 in the second state", () => {
  expect(selectCriticalByStats(worked)).toEqual([false, false, false, true, false, false, false]);
  const [only] = rankCriticalSteps(worked);
  // 0.25 * (0.5 + 1e-6)
  expect(only?.score).toBeCloseTo(0.125, 6);
  expect(only?.peers).toEqual([2, 3]);
});

test("with either deviation the row above the mean counts too", () => {
  expect(selectCriticalByStats(worked, { deviation: "either" })).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a lower quantile lets more states in", () => {
  // At 0.5 the cutoff is 0.08, so the rows of g3 below its mean come in as well.
  expect(selectCriticalByStats(worked, { varianceQuantile: 0.5 })).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
    false,
  ]);
});

test("a state of equal returns decides nothing, even where rounding makes its mean another number", () => {
  expect(selectCriticalByStats([row("a", 0.3), row("a", 0.3, { trajectory: "b" })])).toEqual([false, false]);
  const tenths = [0.1, 0.1, 0.1].map((value, at) => row("a", value, { trajectory: `${at}` }));
  expect(selectCriticalByStats(tenths, { deviation: "either" })).toEqual([false, false, false]);
});

test("states seen once decide nothing", () => {
  expect(selectCriticalByStats([row("a", 0), row("b", 1)])).toEqual([false, false]);
  expect(selectCriticalByStats([])).toEqual([]);
});

test("of equal scores in one trajectory the later step wins", () => {
  const rows = [
    row("a", 0, { trajectory: "t", step: 1 }),
    row("a", 1, { trajectory: "u" }),
    row("b", 0, { trajectory: "t", step: 4 }),
    row("b", 1, { trajectory: "u", step: 1 }),
  ];
  expect(selectCriticalByStats(rows)).toEqual([false, false, true, false]);
  expect(selectCriticalByStats(rows, { perTrajectory: 2 })).toEqual([true, false, true, false]);
  expect(rankCriticalSteps(rows, { perTrajectory: 2 }).map((one) => one.row)).toEqual([2, 0]);
});

test("k = 0 selects nothing", () => {
  expect(selectCriticalByStats(worked, { perTrajectory: 0 })).toEqual(worked.map(() => false));
});

test("rows of different groups never share a state", () => {
  expect(selectCriticalByStats([row("a", 0), row("a", 1, { group: "h" })])).toEqual([false, false]);
});

test("similar texts can be one state", () => {
  const long = "You arrive at the countertop. On it you see a mug, a plate and a spoon";
  const rows = [row(`${long}.`, 0), row(`${long}!`, 1)];
  expect(selectCriticalByStats(rows)).toEqual([false, false]);
  expect(selectCriticalByStats(rows, { match: "similar" })).toEqual([true, false]);
});
