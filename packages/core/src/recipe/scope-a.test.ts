import { expect, test } from "vitest";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { createStatisticsAnalyst } from "../skill/statistics/statistics.ts";

recipeContract("scope-a");

test.each(["candidates", "vocabulary"])("with the %s, solved rows have no teacher", async (form) => {
  const { record, before, model } = await tryRecipe("scope-a", { given: { form, candidates: 6 } });
  const failed = record.episodes.filter(({ success }) => success !== true);
  expect(record.metrics["context/taught"]).toBe(failed.length - (record.metrics["context/missing"] ?? 0));
  expect(record.metrics["loss/policy/teacher/divergence"]).toBeGreaterThan(0);
  expect(record.metrics["loss/policy/imitation/surprise"]).toBeGreaterThan(0);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

test("failed episodes are looked at in the light of their solved siblings", async () => {
  const analyst = createStatisticsAnalyst();
  const seen: { readonly outcomes: readonly (boolean | null)[]; readonly analysed: readonly string[] }[] = [];
  const { record, model } = await tryRecipe("scope-a", {
    analyst: {
      ...analyst,
      analyse: async (group, options) => {
        const analyses = await analyst.analyse(group, options);
        const outcomes = group.map(({ success }) => success);
        seen.push({ outcomes, analysed: analyses.map(({ trajectory }) => trajectory) });
        return analyses;
      },
    },
  });
  const failed = record.episodes.filter(({ success }) => success !== true).map(({ id }) => id);
  expect(seen.flatMap(({ analysed }) => analysed).sort()).toEqual(failed.toSorted());
  expect(seen.some(({ outcomes }) => outcomes.includes(true))).toBe(true);
  await model.close();
});

test("sampled: each path has its own mean, and imitation has no ratio", async () => {
  const { record, before, model } = await tryRecipe("scope-a", {});
  expect(record.metrics["credit/solved"]).toBeGreaterThan(0);
  expect(record.metrics["credit/corrected"]).toBeGreaterThan(0);
  expect(record.metrics["loss/imitation/loss"]).toBeGreaterThan(0);
  expect(record.metrics).toHaveProperty("loss/policy/clipFraction");
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});
