import { expect, test } from "vitest";
import { eastward } from "../../../../test/support/provider-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import {
  logprobsOf,
  near,
  stepCredits,
  sum,
  times,
  walked,
  watchRecipe,
} from "../../../../test/support/recipe-walks.ts";

import type { Demonstrator } from "../env/expert.ts";

recipeContract("grpo");

test("a score against its task, in deviations; a task whose episodes all end alike teaches nothing and still counts", async () => {
  const collect = () =>
    walked({ quick: "east east", slow: "wait east east", idle: "wait" }, { left: "wait", right: "wait" });
  const { record, first, model } = await watchRecipe("grpo", { collect });
  // Of the 10 steps of the first task 5 have score 1: mean 0.5, deviation sqrt(10 * 0.25 / 9).
  const better = 0.5 / (Math.sqrt(2.5 / 9) + 1e-6);
  const [none, worse] = [times(5, 0), times(5, -better)];
  expect(stepCredits(record.episodes, first.rows)).toEqual({
    quick: near([better, better]),
    slow: near([better, better, better]),
    idle: near(worse),
    left: none,
    right: none,
  });
  // "go east" is 8 tokens and "wait" 5. The mean is over all tokens, those of the second task too.
  const [gained, lost, silent] = [4 * 8 + 5, 5 * 5, 2 * 5 * 5];
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(gained + lost + silent);
  const losses = first.rows.map(({ advantages }, row) =>
    sum((first.before[row] ?? new Float32Array()).map((logprob, at) => logprob * (advantages?.[at] ?? 0))),
  );
  expect(first.report.loss).toBeCloseTo(-sum(losses) / (gained + lost + silent), 5);
  await model.close();
});

test("what did better becomes likelier than what did worse", async () => {
  const collect = () => walked({ quick: "east east", idle: "wait" });
  const { first, model } = await watchRecipe("grpo", { collect });
  const after = await logprobsOf(model, first.rows);
  const rose = Object.fromEntries(
    first.rows.map(({ trajectory }, row) => [trajectory, sum(after[row] ?? []) - sum(first.before[row] ?? [])]),
  );
  expect(rose["quick"]).toBeGreaterThan(0);
  expect(rose["idle"]).toBeLessThan(0);
  await model.close();
});

test("with the skill in the prompt, the workflow of a success is kept for the next update; without, nothing is", async () => {
  const kept = await tryRecipe("grpo", { given: { skillInPrompt: true } });
  // The corridor names no families, so that all its tasks are one.
  expect(Object.keys(kept.record.skills)).toEqual(["corridor"]);
  expect(kept.record.skills["corridor"]).toMatch(/^This worked: go east; go east/);
  const plain = await tryRecipe("grpo");
  expect(plain.record.skills).toEqual({});
  expect(plain.record.analyses.size).toBe(0);
  await Promise.all([kept.model.close(), plain.model.close()]);
});

test("demonstrations: of tasks that no episode solved, of all, and of none where the world has no demonstrator", async () => {
  const collect = () => walked({ quick: "east east", idle: "wait" }, { left: "wait", right: "wait" });
  const shown = async (demonstrations: string, demonstrator: Demonstrator | null = eastward) => {
    const parts = demonstrator === null ? { demonstrator: undefined } : { demonstrator };
    const { record, model } = await watchRecipe("grpo", { collect, given: { demonstrations }, ...parts });
    const imitated = record.beside.map(({ task, steps }) => [task.id, steps.map(({ action }) => action)]);
    await model.close();
    expect(record.credited?.rows.length).toBeGreaterThan(0);
    return { imitated, loss: record.metrics["loss/demonstrations/loss"], kept: record.kept };
  };
  const failed = await shown("failed");
  // The first task was solved by one of its episodes; the demonstrator goes east until it is there.
  expect(failed.imitated).toHaveLength(1);
  expect(failed.imitated[0]?.[1]).toEqual(["go east", "go east"]);
  expect(failed.loss).toBeGreaterThan(0);
  // It is shown again in later updates, also where there is nothing new.
  expect(failed.kept).toEqual({ shown: [expect.objectContaining({ trajectory: expect.any(String) as string })] });
  const solved = () => walked({ quick: "east east" });
  const again = await tryRecipe("grpo", {
    collect: solved,
    given: { demonstrations: "failed", demonstrationSteps: 1 },
    kept: failed.kept,
  });
  expect(again.record.beside).toEqual([]);
  expect(again.record.metrics["loss/demonstrations/loss"]).toBeGreaterThan(0);
  expect(again.record.kept).toEqual(failed.kept);
  await again.model.close();
  expect((await shown("all")).imitated).toHaveLength(2);
  for (const none of [await shown("none"), await shown("failed", null)]) {
    expect([none.imitated, none.loss]).toEqual([[], undefined]);
  }
});
