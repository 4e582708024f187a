import { describe, expect, test } from "vitest";
import { tryRecipe } from "../../test/support/recipe-bench.ts";
import { createStatisticsAnalyst, type Analyst } from "../skill/index.ts";
import { recipeContract } from "../../test/support/recipe-contract.ts";

recipeContract("opid");

const FORMS = [
  ["the shift of sampled tokens", { form: "shift" }],
  ["forward divergence", { form: "forward" }],
  ["forward divergence on candidates", { form: "forward", candidates: 8 }],
  ["reverse divergence", { form: "reverse", candidates: 8 }],
  ["a running average as the teacher", { teacher: "ema" }],
  ["the policy itself as the teacher", { teacher: "self", form: "shift", "credit.episodeWeight": 0.1 }],
  ["both skills at once", { routing: "both_at_once" }],
  ["each level on its own", { routing: "additive", form: "shift", "credit.episodeWeight": 1, "credit.stepWeight": 1 }],
] as const;

describe.each(FORMS)("with %s", (_name, given) => {
  test("skills are written, scored and learned from", async () => {
    const { record, before, model } = await tryRecipe("opid", { given });
    const plain = await tryRecipe("opid", { given: { stopAfter: 0 } });
    try {
      expect(record.analyses.size).toBe(18);
      expect(record.taught?.opinions.size).toBeGreaterThan(0);
      expect(record.diagnostics?.active).toBeGreaterThan(0.5);
      expect(model.weights.flat).not.toEqual(before);
      // The teacher makes a difference.
      expect(model.weights.flat).not.toEqual(plain.model.weights.flat);
    } finally {
      await Promise.all([model.close(), plain.model.close()]);
    }
  });
});

/** Counts what is asked of it. */
function counting(inner: Analyst): Analyst & { readonly asked: () => number } {
  let asked = 0;
  return {
    id: inner.id,
    asked: () => asked,
    analyse: (group, options) => {
      asked += 1;
      return inner.analyse(group, options);
    },
  };
}

test("with the teacher off by schedule, or stopped by the guard, no analysis is paid for", async () => {
  for (const parts of [{ given: { startAfter: 1 } }, { given: { stopAfter: 0 } }, { silenced: true }]) {
    const analyst = counting(createStatisticsAnalyst());
    const { record, model } = await tryRecipe("opid", { ...parts, analyst });
    expect(analyst.asked()).toBe(0);
    expect(record.taught).toBeUndefined();
    await model.close();
  }
});

/** The weights of the model after one update. */
async function learned(update: number, given: Readonly<Record<string, unknown>>): Promise<Float32Array> {
  const { model } = await tryRecipe("opid", { update, given });
  const weights = model.weights.flat.slice();
  await model.close();
  return weights;
}

test("a teacher that fades has half its weight half way, in either form, and is off at the end", async () => {
  const halved = { "credit.episodeWeight": 0.15, "credit.stepWeight": 0.15 };
  expect(await learned(3, { form: "shift", fadeOver: 4 })).toEqual(await learned(3, { form: "shift", ...halved }));
  expect(await learned(3, { fadeOver: 4 })).toEqual(await learned(3, { divergenceWeight: 0.5 }));
  expect(await learned(5, { fadeOver: 4 })).toEqual(await learned(5, { stopAfter: 0 }));
});

test("failed only: successes are siblings, not pupils", async () => {
  const { record, model } = await tryRecipe("opid", { given: { failedOnly: true } });
  const failed = record.episodes.filter(({ success }) => success === false).map(({ id }) => id);
  expect([...record.analyses.keys()].sort()).toEqual(failed.sort());
  await model.close();
});

test("an analyst that fails costs the teacher, not the update", async () => {
  const analyst: Analyst = {
    id: "broken",
    analyse: (group) =>
      Promise.resolve(
        group.map(({ id }) => ({
          trajectory: id,
          outcome: "unknown" as const,
          stepSkills: new Map(),
          error: { code: "analysis-failed", message: "no answer" },
        })),
      ),
  };
  const { record, model, before } = await tryRecipe("opid", { analyst });
  expect(record.metrics["analyst/failed"]).toBe(18);
  expect(record.taught?.opinions.size).toBe(0);
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});
