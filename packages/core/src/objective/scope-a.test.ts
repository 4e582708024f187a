import { expect, test } from "vitest";
import { logs, STUDENT, TEACHER } from "../../../../test/support/taught-rows.ts";
import { scopeA } from "./scope-a.ts";

test("a failed row is pulled to its teacher, a solved one is made likelier, both by their weights", () => {
  const common = { ids: new Int32Array(2), mask: Uint8Array.of(0, 1) };
  const failed = {
    ...common,
    advantages: Float64Array.of(0, 1.5),
    candidates: { count: 3, ids: Int32Array.of(0, 1, 2, 0, 1, 2) },
    teacherCandidates: Float32Array.from([0, 0, 0, ...logs(TEACHER)]),
  };
  const solved = { ...common, advantages: Float64Array.of(0, 0.5) };
  const live = {
    logprob: [Float64Array.of(0, -1), Float64Array.of(0, -2)],
    candidates: [Float64Array.from([0, 0, 0, ...logs(STUDENT)]), new Float64Array(0)],
  };
  // 1.5 * 0.109023 (reverse) and 0.5 * 2, each the mean of its own kind.
  const { loss, weights } = scopeA.create().compute(live, live, [failed, solved]);
  expect(loss).toBeCloseTo(1.5 * 0.109023 + 1, 5);
  expect(weights.logprob?.[0]).toEqual(Float64Array.of(0, 0));
  expect(weights.logprob?.[1]?.[1]).toBeCloseTo(-0.5, 7);
  // One solved among many failed weighs as much as all of them together.
  const repeated = <Item>([one, other]: readonly Item[]): Item[] => [one!, one!, one!, other!];
  const more = { logprob: repeated(live.logprob), candidates: repeated(live.candidates) };
  const many = scopeA.create().compute(more, more, [failed, failed, failed, solved]);
  expect(many.loss).toBeCloseTo(loss, 9);
});
