import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/samples.ts";
import { boundedDifference } from "limbeck-base/base/statistics/share";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { comparePolicies } from "./compare.ts";

function tried(task: string, outcomes: readonly boolean[], steps = 2): Trajectory[] {
  return outcomes.map((success, index) =>
    sampleTrajectory(`${task}/${index}`, {
      task: { id: task, env: "toy", seed: 1, goal: "do it", split: "valid" },
      success,
      steps: Array.from({ length: steps }, (_, at) => sampleStep(at)),
    }),
  );
}

test("shares of the same tasks are compared in pairs; others are left out", () => {
  const left = [
    ...tried("a", [true, true], 4),
    ...tried("b", [true, false], 6),
    ...tried("c", [false]),
    ...tried("x", [true]),
  ];
  const right = [
    ...tried("a", [true, false], 3),
    ...tried("b", [false, false]),
    ...tried("c", [false]),
    ...tried("y", [true]),
  ];
  const compared = comparePolicies(left, right);
  // a: 1 - 0.5, b: 0.5 - 0, c: 0: mean 1 / 3. Both solved a only: 4 - 3 steps.
  expect(compared.tasks).toBe(3);
  expect(compared.difference).toBeCloseTo(1 / 3, 12);
  expect(compared).toMatchObject(boundedDifference([0.5, 0.5, 0]));
  expect(compared.sign).toMatchObject({ better: 2, worse: 0, equal: 1, p: 0.5 });
  expect(compared.steps).toMatchObject({ difference: 1, tasks: 1 });
  expect(compared.separated).toBe(false);
  expect(comparePolicies(right, left).difference).toBeCloseTo(-1 / 3, 12);
});

test("lost episodes are no failures: their tasks are left out where nothing else was seen", () => {
  const lost = { ending: "failed", success: null, reward: { kind: "unscored", why: "gone" } } as const;
  const gone = (task: string): Trajectory[] => tried(task, [false]).map((one) => ({ ...one, ...lost }));
  const left = [...tried("a", [true]), ...gone("a"), ...tried("b", [true])];
  const right = [...tried("a", [true]), ...gone("b")];
  // Both were seen at a alone, and solved it.
  expect(comparePolicies(left, right)).toMatchObject({ tasks: 1, difference: 0 });
});

test("many tasks one way are separated, and no shared task is refused", () => {
  const names = Array.from({ length: 12 }, (_, index) => `task-${index}`);
  const better = comparePolicies(
    names.flatMap((name) => tried(name, [true])),
    names.flatMap((name) => tried(name, [false])),
  );
  // 2 / 2^12 = 0.00048828125.
  expect(better).toMatchObject({ difference: 1, separated: true, steps: null });
  expect(better.sign.p).toBeCloseTo(2 / 4096, 12);
  expect(() => comparePolicies(tried("a", [true]), tried("b", [true]))).toThrow(/no task in common/);
});
