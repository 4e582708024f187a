import { expect, test } from "vitest";
import { assign, episodes, forks, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { branchGrpo } from "./branch-grpo.ts";

const tree = forks({ A: [1, 0.5], B: [0.2, 0.3] });

test("each depth is normalised by itself", () => {
  // Branches 0.75 and 0.25: std 0.353553, 0.25 / 0.353553 = 0.707107. Leaves: mean 0.5, squares 0.25 + 0.09 + 0.04,
  // / 3, std 0.355903: 0.5 / 0.355903 = 1.404879, 0, -0.842927, -0.561951.
  expect(rowAdvantages(branchGrpo, tree)).toEqual([0.707107, 1.404879, 0, -0.707107, -0.842927, -0.561951]);
});

test("children weighed by their probability", () => {
  const lp = { A0: -0.5, A1: -1.5, B0: -1, B1: -1 } as Readonly<Record<string, number>>;
  const weighed = forks({ A: [1, 0.5], B: [0.2, 0.3] }, (branch, leaf) => ({
    logprobs: { old: [leaf === null ? -1 : (lp[`${branch}${leaf}`] ?? 0)] },
  }));
  // A: sigmoid(1) = 0.731059; 0.731059 * 1 + 0.268941 * 0.5 = 0.865529. B 0.25. Two values are always +- 0.707107,
  // so a third trajectory tells them apart: 0.865529, 0.25, 0: mean 0.371843, std 0.445443.
  const { terms } = assign(branchGrpo, weighed, { fusion: "softmax" });
  expect(terms["depth"]!.perRow![0]).toBeCloseTo(0.707107, 6);
  const third = weighed as { rows: object[]; trajectories: object };
  const more = {
    rows: [...third.rows, { task: "task", trajectory: "Z", step: 0, mask: [1], logprobs: { old: [0] } }],
    trajectories: { ...third.trajectories, Z: { outcome: 0 } },
  };
  // (0.865529 - 0.371843) / 0.445443 = 1.108304
  expect(rowAdvantages(branchGrpo, more as never, { fusion: "softmax" })[0]).toBeCloseTo(1.108304, 5);
  expect(() => rowAdvantages(branchGrpo, tree, { fusion: "softmax" })).toThrow(/needs log-probabilities/);
});

test("pruning leaves rows out and keeps the statistics", () => {
  const wide = forks({ A: [1, 0.5, 0.2, 0] });
  expect(assign(branchGrpo, wide, { prune: "best" }).dropped).toEqual([3, 4]);
  expect(assign(branchGrpo, wide, { prune: "extremes" }).dropped).toEqual([2, 3]);
  expect(rowAdvantages(branchGrpo, wide, { prune: "best" })[1]).toBe(rowAdvantages(branchGrpo, wide)[1]);
  expect(assign(branchGrpo, tree, { firstDepth: 1 }).dropped).toEqual([0, 3]);
  expect(assign(branchGrpo, tree, { lastDepth: 0 }).dropped).toEqual([1, 2, 4, 5]);
});

test("a depth of one node is 0", () => {
  expect(rowAdvantages(branchGrpo, episodes({ X: { outcome: 1, steps: [{}, {}] } }))).toEqual([0, 0]);
});

publishedCredit("branch-grpo", branchGrpo);
