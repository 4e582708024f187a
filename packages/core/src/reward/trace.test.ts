import fc from "fast-check";
import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { published } from "../../../../test/support/published.ts";
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

/** An episode whose steps make this many calls. */
const calling = (id: string, calls: readonly number[], more: Partial<Trajectory> = {}) =>
  sampleTrajectory(id, {
    steps: [...calls, 0].map((made, at) =>
      sampleStep(at, made === 0 ? {} : { action: JSON.stringify(Array.from({ length: made }, () => SEARCH)) }),
    ),
    tools: [{ name: "search" }],
    ...more,
  });
const SEARCH = { name: "search", arguments: { q: "x" } };
const known = (reference: number) => ({ givens: { references: new Map([["task-1", reference]]) } });
const share = { bonus: "share", rounds: "steps" };

test("ranks among those within the reference, and among those beyond it", () => {
  const batch = [rounds("a", 2), rounds("b", 4), rounds("c", 6), rounds("d", 1, false)];
  expect(totals(trace, batch, {}, known(4))).toEqual([1.2, 1.05, 0.98, -0.1]);
  // Equal rounds, fewer calls first.
  const calls = [calling("a", [2, 2]), calling("b", [1, 2]), calling("c", [1, 1]), calling("d", [1, 1])];
  expect(totals(trace, calls, {}, known(2))).toEqual([1.05, 1.125, 1.2, 1.2]);
});

test("failures: too few calls or too many cost, no answer is half a point off", () => {
  const wrong = { success: false };
  const batch = [
    calling("a", [], wrong),
    calling("b", [1, 1], wrong),
    calling("c", [1, 1, 1], wrong),
    calling("d", [1, 1, 1, 1], wrong),
    calling("e", [1, 1], { ...wrong, ending: "truncated" }),
  ];
  // Reference 2: 0 < 2; 2 and 3 are within 1.5 * 2; 4 is beyond.
  expect(totals(trace, batch, {}, known(2))).toEqual([-0.1, 0, 0, -0.1, -0.5]);
  expect(totals(trace, batch)).toEqual([0, 0, 0, 0, -0.5]);
});

test("an answer without a call gains nothing and is no reference", () => {
  const batch = [calling("a", []), calling("b", [1]), calling("c", [1, 1])];
  expect(totals(trace, batch)).toEqual([1, 1.2, 0.98]);
  expect(giveRewards(trace, batch).references?.get("task-1")).toBe(1);
  expect(giveRewards(trace, [calling("a", []), calling("b", [])]).references?.size).toBe(0);
  expect(totals(trace, [calling("a", [])], share)).toEqual([1]);
});

test("one alone is not compared", () => {
  expect(totals(trace, [rounds("a", 2)], {}, known(4))).toEqual([1]);
  expect(totals(trace, [rounds("a", 2, false)], {}, known(4))).toEqual([0]);
});

/** HyperEyes_reward_V1_2_w_dynamic_w_OPD_v0.py at 61548258, run on these: a call that cannot be read is a call without a search. */
test("a call that cannot be read is a round without a search, and the form of a call does not matter", () => {
  const ok = JSON.stringify(SEARCH);
  const bad = ok.slice(0, -1);
  const made = (id: string, success: boolean, ...actions: readonly string[]) =>
    sampleTrajectory(id, {
      steps: [...actions, "done"].map((action, at) => sampleStep(at, { action })),
      tools: [{ name: "search" }],
      success,
    });
  const scores = (first: Trajectory, second: Trajectory) => totals(trace, [first, second], {}, known(1));
  expect(scores(made("a", true, ok, bad), made("b", true, ok))).toEqual([0.98, 1.2]);
  expect(scores(made("a", true, bad), made("b", true, ok))).toEqual([1.2, 1.05]);
  expect(scores(made("a", false, bad), made("b", true, ok))).toEqual([0, 1.2]);
  for (const form of [`<tool_call>${ok}</tool_call>`, `\`\`\`json\n${ok}\n\`\`\``]) {
    expect(scores(made("a", true, form), made("b", true, ok))).toEqual([1.2, 1.2]);
  }
  // A message to the customer is no call.
  const message = '{"name":"respond","arguments":{"content":"42"}}';
  expect(scores(made("a", true, message), made("b", true, ok, ok))).toEqual([1, 0.98]);
});

interface PublishedGroup {
  readonly reference: number;
  readonly accuracy: readonly number[];
  readonly searches: readonly (readonly number[])[];
  readonly score: readonly number[];
  readonly best: number | null;
}

test.each(published<PublishedGroup>("trace").cases)("as published: reference $reference, $accuracy", (group) => {
  const batch = group.accuracy.map((accuracy, at) =>
    calling(String(at), group.searches[at] ?? [], {
      success: accuracy > 0,
      ending: accuracy === -0.5 ? "truncated" : "terminated",
    }),
  );
  const given = totals(trace, batch, {}, known(group.reference));
  // The source rounds a bonus to four digits.
  for (const [at, score] of group.score.entries()) expect(given[at]).toBeCloseTo(score, 4);
  expect(giveRewards(trace, batch).references?.get("task-1") ?? null).toBe(group.best);
});

test("share: a success against the reference of its task", () => {
  const batch = [rounds("a", 2), rounds("b", 4), rounds("c", 6), rounds("d", 99), rounds("e", 1, false)];
  // 1 + 0.5 * (4 - 2) / 4 = 1.25;  1;  1 + 0.5 * -2 / 4 = 0.75;  clipped: 1 - 0.5;  failure 0
  expect(totals(trace, batch, share, known(4))).toEqual([1.25, 1, 0.75, 0.5, 0]);
  // The first batch is compared with its own best, 2: 1 and 1 + 0.5 * (2 - 3) / 2 = 0.75
  expect(totals(trace, [rounds("a", 2), rounds("b", 3)], share)).toEqual([1, 0.75]);
});

test("its outcome is not known", () => {
  expect(totals(trace, [rounds("a", 2, null)])).toEqual(["unscored: its outcome is not known"]);
});

test("rounds with calls only, or every step", () => {
  const batch = [calling("a", [1, 0, 1])];
  expect(giveRewards(trace, batch).references?.get("task-1")).toBe(2);
  expect(giveRewards(trace, batch, { options: { rounds: "steps" } }).references?.get("task-1")).toBe(4);
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
