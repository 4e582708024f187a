import { expect, test } from "vitest";
import { assign, episodes, forks, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { portool } from "./portool.ts";

const tree = forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] });
const part = (name: string, options = {}, batch = tree) =>
  Array.from(assign(portool, batch, options).terms[name]!.perRow!, round);

test("siblings at a fork: means of their leaves", () => {
  // gamma 1: R 2/3, 0, 1/3 (each 0.25 more): mean 1/3, std 1/3; 0.999997.
  const fork = part("fork", { best: "mean", gamma: 1 });
  expect([fork[0], fork[4], fork[8]]).toEqual([0.999997, -0.999997, 0]);
});

test("or the best leaf, discounted by the way to it", () => {
  // R 0.95, 0, 0.95 (+ 0.25): mean 0.633333, std 0.548483; 0.316667 / 0.548484 = 0.577349, -1.154698.
  const fork = part("fork");
  expect([fork[0], fork[4], fork[8]]).toEqual([0.577349, -1.154698, 0.577349]);
});

test("trajectories: nine leaves, three of them good", () => {
  // Mean 1/3, squares 3 * 4/9 + 6 * 1/9 = 2, / 8, std 0.5: 1.333331 and -0.666665. The shared step of A: their mean.
  const trajectory = part("trajectory");
  expect(trajectory.slice(1, 4)).toEqual([1.333331, 1.333331, -0.666665]);
  expect(trajectory[0]).toBe(0.666665);
});

test("a call that failed costs what one that succeeded is worth", () => {
  const failed = forks({ A: [1], B: [1] }, (branch, leaf) => ({
    signals: { toolSucceeded: !(branch === "B" && leaf === null) },
  }));
  // R 1.2 and 0.7, the outcomes tie: the difference itself, +- 0.25.
  const fork = part("fork", { singleton: "zero" }, failed);
  expect(fork[0]).toBeCloseTo(0.25, 6);
  expect(fork[2]).toBeCloseTo(-0.25, 6);
});

test("where every leaf failed, calls that differ by 0.5 stay half of a reward apart", () => {
  const accepted = forks({ A: [0, 0], B: [0, 0], C: [0, 0] }, (branch, leaf) => ({
    signals: { toolSucceeded: !(branch === "C" && leaf === null) },
  }));
  // R 0.25, 0.25, -0.25: mean 0.083333.
  const fork = part("fork", {}, accepted);
  expect([fork[0], fork[3], fork[6]]).toEqual([0.166667, 0.166667, -0.333333]);
});

test("both parts have a weight", () => {
  const weighted = (options: Record<string, number>): number[] => rowAdvantages(portool, tree, options);
  const [trajectory, fork] = [weighted({ forkWeight: 0 }), weighted({ trajectoryWeight: 0 })];
  for (const [at, value] of weighted({ trajectoryWeight: 2, forkWeight: 3 }).entries()) {
    expect(value).toBeCloseTo(2 * (trajectory[at] as number) + 3 * (fork[at] as number), 4);
  }
});

test("one trajectory: nothing at forks, and raw or nothing for itself", () => {
  const one = episodes({ X: { outcome: 1, steps: [{}, {}] } });
  expect(part("fork", {}, one)).toEqual([0, 0]);
  expect(part("trajectory", {}, one)).toEqual([0, 0]);
  expect(part("trajectory", { singleton: "raw" }, one)).toEqual([0.999999, 0.999999]);
});
