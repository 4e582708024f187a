import { expect, test } from "vitest";
import { readPlan, type ArenaPlanInput } from "../../packages/training/src/arena/plan.ts";
import type { JournalLine } from "../../packages/training/src/arena/journal.ts";
import { useOf } from "./borrow.ts";

const plan = (steps: number, given: Partial<ArenaPlanInput> = {}) =>
  readPlan({
    version: 1,
    arms: [{ name: "grpo", recipe: "grpo" }],
    seeds: [1],
    env: "household",
    model: "somewhere",
    budget: { account: "steps", amount: steps },
    ...given,
  });
const curve = { evaluation: { finalTasks: 0 } };
const line = (kind: string): JournalLine => ({ kind, update: 1 }) as JournalLine;

test("the same conditions: every line holds", () => {
  expect(useOf(plan(6_000), plan(6_000))?.(line("final"))).toBe(true);
});

test("a longer run serves where only the curve is looked at, without what was measured after its end", () => {
  const use = useOf(plan(6_000, curve), plan(9_000));
  expect(["point", "update", "trained", "end"].map((kind) => use?.(line(kind)))).toEqual([true, true, true, true]);
  expect(["final", "retention"].map((kind) => use?.(line(kind)))).toEqual([false, false]);
});

test("a shorter run, another look, another world, or an end that is wanted: other runs", () => {
  expect(useOf(plan(9_000, curve), plan(6_000))).toBeUndefined();
  expect(useOf(plan(6_000), plan(9_000))).toBeUndefined();
  expect(useOf(plan(6_000, curve), plan(9_000, { evaluation: { split: "test" } }))).toBeUndefined();
  expect(useOf(plan(6_000, curve), plan(9_000, { noise: 0.1 }))).toBeUndefined();
});
