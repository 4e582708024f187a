import { expect, test } from "vitest";
import type { TeacherDiagnostics } from "./diagnostics.ts";
import { createGuard } from "./guard.ts";

const shift = (mean: number, tokens = 100): TeacherDiagnostics => {
  const all = { tokens, mean, deviation: 1, positive: 0.4 };
  return { all, success: all, failure: all, active: 1, lost: 0 };
};

test("three low updates in a row stop the teacher, with the reason and the way out", () => {
  const guard = createGuard();
  expect(guard.watch(1, shift(-2))).toBeUndefined();
  expect(guard.watch(2, shift(-2))).toBeUndefined();
  expect(guard.watch(3, shift(-2.5))).toMatch(/Update 3: for 3 updates in a row .* 2\.50 nats .*"reference"/);
});

test("a good update in between, or one with too few tokens, does not count", () => {
  const guard = createGuard({ patience: 2 });
  expect(guard.watch(1, shift(-2))).toBeUndefined();
  expect(guard.watch(2, shift(0.1))).toBeUndefined();
  expect(guard.watch(3, shift(-2))).toBeUndefined();
  expect(guard.watch(4, shift(Number.NaN, 0))).toBeUndefined();
  expect(guard.watch(5, shift(-2))).toMatch(/stops/);
});

test("a teacher that acts worse with skills than the policy without, twice, is stopped", () => {
  const guard = createGuard();
  expect(guard.probe(10, 0.4, 0.45)).toBeUndefined();
  expect(guard.probe(20, 0.3, 0.5)).toBeUndefined();
  expect(guard.probe(30, 0.3, 0.5)).toMatch(/solves 0\.30 of the probe tasks, the policy without them 0\.50/);
});

test("a resumed guard goes on counting", () => {
  const first = createGuard();
  first.watch(1, shift(-2));
  first.watch(2, shift(-2));
  expect(createGuard({}, first.state).watch(3, shift(-2))).toMatch(/stops/);
});
