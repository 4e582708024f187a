import { expect, test } from "vitest";
import { createRng } from "../../base/index.ts";
import type { Env } from "../env.ts";
import { type Demonstrator } from "../expert.ts";
import { DEMONSTRATORS } from "./expert.ts";
import { FAMILIES } from "./generate-task.ts";
import { scenarioOf } from "./scenario.ts";
import { createTools } from "./tools-env.ts";

async function outcomes(env: Env, split: string, count: number, demonstrator: Demonstrator) {
  const failed: string[] = [];
  const families = new Map<string, { won: number; all: number }>();
  let violations = 0;
  for await (const task of env.tasks(split, { count })) {
    const episode = await env.open(task);
    const demonstration = demonstrator.start(task, createRng(0));
    let action: string | undefined;
    let info: unknown;
    while (episode.ending === undefined) {
      action = demonstration.next({ action, observation: episode.observation });
      ({ info } = await episode.step(action));
    }
    const entry = families.get(scenarioOf(task).family) ?? { won: 0, all: 0 };
    families.set(scenarioOf(task).family, { won: entry.won + (episode.success === true ? 1 : 0), all: entry.all + 1 });
    if (episode.success !== true || episode.ending !== "terminated") failed.push(task.id);
    violations += (info as { allViolations: unknown[] }).allViolations.length;
  }
  return { failed, families, violations };
}

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
