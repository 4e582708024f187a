import { expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { answers, assign, episodes, plainSteps, rowAdvantages } from "../../../../test/support/credit.ts";
import { assignCredit } from "./assign.ts";
import type { CreditMethod, CreditRow } from "./credit.ts";
import { drGrpo } from "./dr-grpo.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { lowerMedian, mcGrpo } from "./mc-grpo.ts";

test("the lower median does not average", () => expect(lowerMedian([4, 1, 3, 2])).toBe(2));

test("centres on the median and leaves it out", () => {
  // Median 0.5; distances 0.5, 0.5, 0, 0.3, 0.3, their median 0.3; 0.5 / 0.301 = 1.661130; 0.3 / 0.301 = 0.996678.
  // Five members, four of them not 0: 1.661130 * 5 / 4 = 2.076412; 0.996678 * 1.25 = 1.245847.
  const batch = answers([1, 0, 0.5, 0.2, 0.8]);
  expect(rowAdvantages(mcGrpo, batch)).toEqual([2.076412, -2.076412, 0, -1.245847, 1.245847]);
  expect(assign(mcGrpo, batch).dropped).toEqual([2]);
  expect(assign(mcGrpo, batch, { dropMedian: false }).dropped).toEqual([]);
});

test("binary scores have no spread: clamped, or with a least spread, or 1000 and more as published", () => {
  const batch = answers([1, 0, 0, 0, 1]);
  expect(rowAdvantages(mcGrpo, batch)).toEqual([5, 0, 0, 0, 5]);
  expect(assign(mcGrpo, batch).dropped).toEqual([1]);
  // 1 / 0.001, times 5 members of which 2 are not 0.
  expect(rowAdvantages(mcGrpo, batch, { clamp: null })).toEqual([2500, 0, 0, 0, 2500]);
  // 1 / (0.1 + 0.001) = 9.900990, times 2.5.
  expect(rowAdvantages(mcGrpo, batch, { clamp: null, leastSpread: 0.1 })).toEqual([24.752475, 0, 0, 0, 24.752475]);
});

test("the other of the two trainers does not scale by members that are not 0", () => {
  expect(rowAdvantages(mcGrpo, answers([1, 0, 0.5, 0.2, 0.8]), { rescale: false })).toEqual([
    1.66113, -1.66113, 0, -0.996678, 0.996678,
  ]);
});

test("what differs from the median by rounding alone is at the median", () => {
  // Median 0.3, its distances' median 0.2; 0.3 / 0.201 = 1.492537, times 7 members of which 4 are off: 2.611940.
  expect(rowAdvantages(mcGrpo, answers([0.3, 0.3, 0.1 + 0.2, 0, 0.6, 0.1, 0.5]))[4]).toBe(2.61194);
});

test("two are too few for a median: centred; one is raw or 0", () => {
  expect(rowAdvantages(mcGrpo, answers([1, 0]))).toEqual([0.5, -0.5]);
  expect(rowAdvantages(mcGrpo, answers([0.7]))).toEqual([0.7]);
  expect(rowAdvantages(mcGrpo, answers([0.7]), { singleton: "zero" })).toEqual([0]);
});

test("the whole median trajectory is dropped, not one of its steps", () => {
  const batch = episodes({
    X: { outcome: 1, steps: plainSteps(1) },
    Y: { outcome: 0.5, steps: plainSteps(2) },
    Z: { outcome: 0, steps: plainSteps(1) },
  });
  // Trajectories 1, 0.5, 0: median 0.5, distances 0.5, 0, 0.5, median 0.5; 0.5 / 0.501 = 0.998004, times 3 / 2.
  expect(rowAdvantages(mcGrpo, batch)).toEqual([1.497006, 0, 0, -1.497006]);
  const { dropped, metrics } = assign(mcGrpo, batch);
  expect([dropped, metrics["droppedRollouts"]]).toEqual([[1, 2], 1]);
  // Rows 1, 0.5, 0.5, 0: only one of the two median rows is dropped, and the spread is 0.
  const rows = assign(mcGrpo, batch, { countTrajectoryOnce: false });
  expect([rows.dropped, rows.metrics["droppedRollouts"]]).toEqual([[1], 0]);
});

const GROUPS = tries(2000, 4000);
const MANY = 4000;

/** Share of the trained rollouts whose advantage points the other way than their distance from the true mean, 0. */
function signErrors(
  credit: typeof mcGrpo | typeof drGrpo,
  size: number,
  draw: (rng: Rng) => number,
  groups = GROUPS,
): number {
  const rng = createRng(`signs ${size}`);
  const scores = Array.from({ length: groups * size }, () => draw(rng));
  const name = (at: number): string => `r${at}`;
  const rows = scores.map((_, at): CreditRow => ({
    task: `t${Math.floor(at / size)}`,
    trajectory: name(at),
    step: 0,
    valid: true,
    mask: Uint8Array.of(1),
  }));
  const trajectories = new Map(scores.map((outcome, at) => [name(at), { outcome, success: null }] as const));
  const { advantages, dropped } = assignCredit(credit as CreditMethod, { rows, trajectories });
  const left = new Set(dropped);
  const wrong = scores.filter((score, at) => !left.has(at) && Math.sign(advantages[at]?.[0] ?? 0) !== Math.sign(score));
  return wrong.length / (scores.length - left.size);
}

const normal = (rng: Rng): number => rng.normal();
/** Two exponentials back to back: now and then a score far off, which draws a mean along and a median not. */
const heavy = (rng: Rng): number => (rng.float() < 0.5 ? 1 : -1) * -Math.log(1 - rng.float());

test.each([
  ["normal", normal],
  ["heavy-tailed", heavy],
])(
  "%s scores: the median has fewer signs wrong than the mean, with as many rollouts trained or as many sampled",
  (_, draw) => {
    const means = [2, 3, 4, 5].map((size) => signErrors(drGrpo, size, draw));
    for (const [at, trained] of [2, 3, 4].entries()) {
      const median = signErrors(mcGrpo, trained + 1, draw);
      expect(median).toBeLessThan((means[at] as number) - 0.02);
      expect(median).toBeLessThan((means[at + 1] as number) - 0.01);
    }
  },
);

test("with two trained rollouts one in eight signs is wrong, where a mean has one in four", () => {
  // Of three scores the middle one is dropped; one of the other two is wrong where all three lie on one side of the true
  // mean: 2 / 8 of groups, half of their rollouts. Of two scores one is wrong where both lie on one side: 2 / 4, half.
  // The standard error of 8,000 rollouts is at most 0.005.
  expect(Math.abs(signErrors(mcGrpo, 3, normal, MANY) - 1 / 8)).toBeLessThan(0.015);
  expect(Math.abs(signErrors(drGrpo, 2, normal, MANY) - 1 / 4)).toBeLessThan(0.015);
});

publishedCredit("mc-grpo", mcGrpo);
