import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, totals, withSteps } from "../../../../test/support/reward.ts";
import { giveRewards } from "./give-rewards.ts";
import type { References } from "./reward.ts";
import { trace } from "./trace.ts";

const rounds = (id: string, count: number, success: boolean | null = true) =>
  withSteps(
    id,
    Array.from({ length: count }, () => 0),
    { success },
  );

test("a success against the reference of its task", () => {
  const givens = { references: new Map([["task-1", 4]]) };
  const batch = [rounds("a", 2), rounds("b", 4), rounds("c", 6), rounds("d", 99), rounds("e", 1, false)];
  // 1 + 0.5 * (4 - 2) / 4 = 1.25;  1;  1 + 0.5 * -2 / 4 = 0.75;  clipped: 1 - 0.5;  failure 0
  expect(totals(trace, batch, {}, { givens })).toEqual([1.25, 1, 0.75, 0.5, 0]);
});

test("the first batch is compared with its own best", () => {
  // Reference 2: 1 and 1 + 0.5 * (2 - 3) / 2 = 0.75
  expect(totals(trace, [rounds("a", 2), rounds("b", 3)])).toEqual([1, 0.75]);
});

test("nobody said whether it succeeded", () => {
  expect(totals(trace, [rounds("a", 2, null)])).toEqual(["unscored: nobody said whether it succeeded"]);
});

test("rounds with calls only", () => {
  const call = { action: '{"name": "search", "arguments": {"q": "x"}}' };
  const trajectory = sampleTrajectory("a", { steps: [sampleStep(0, call), sampleStep(1), sampleStep(2, call)] });
  const given = giveRewards(trace, [trajectory], { options: { rounds: "calls" } });
  expect(given.references?.get("task-1")).toBe(2);
});

test("references never loosen, and failures never move them", () => {
  const runs = fc.array(fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), { maxLength: 4 }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(runs, (batches) => {
      let references: References = new Map();
      let best = Number.POSITIVE_INFINITY;
      for (const own of batches) {
        const batch = own.map(([count, success], at) => rounds(`t${at}`, count, success));
        references = giveRewards(trace, batch, { givens: { references } }).references ?? references;
        best = Math.min(best, ...own.filter(([, success]) => success).map(([count]) => count));
        expect(references.get("task-1") ?? Number.POSITIVE_INFINITY).toBe(best);
      }
    }),
  );
});
