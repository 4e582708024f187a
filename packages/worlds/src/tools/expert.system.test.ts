import { expect, test } from "vitest";
import { outcomes } from "../../../../test/support/tools-outcomes.ts";
import { DEMONSTRATORS } from "./expert.ts";
import { FAMILIES } from "./generate-task.ts";
import { createTools } from "./tools-env.ts";

test("the expert solves 2,000 of 2,000 generated tasks from what it sees, without a breach of the policy", async () => {
  const { failed, families, violations } = await outcomes(createTools(), "train", 2_000, DEMONSTRATORS.expert);
  expect([...families.keys()].sort()).toEqual(Object.keys(FAMILIES).sort());
  expect(failed).toEqual([]);
  expect(violations).toBe(0);
});

test("the weak demonstrators fail where they lack something, and only there", async () => {
  const rate = (families: Map<string, { won: number; all: number }>, family: string) => {
    const { won, all } = families.get(family) ?? { won: 0, all: 1 };
    return won / all;
  };
  const hasty = await outcomes(createTools(), "train", 360, DEMONSTRATORS.hasty);
  expect(hasty.violations).toBeGreaterThan(100);
  expect(rate(hasty.families, "changed-mind")).toBe(0);
  expect(rate(hasty.families, "cancel")).toBe(1);
  const careless = await outcomes(createTools(), "train", 360, DEMONSTRATORS.careless);
  expect(careless.violations).toBe(0);
  expect(rate(careless.families, "exchange")).toBeLessThan(0.5);
  expect(rate(careless.families, "return")).toBe(1);
});
