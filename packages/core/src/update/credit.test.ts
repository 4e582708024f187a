import { expect, test } from "vitest";
import { oneTask, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { costOf, plus } from "./ledger.ts";
import { headShapes } from "limbeck-policy/policy/local/heads";
import { createModel } from "limbeck-policy/policy/local/open-model";
import { tinyConfig } from "../../../../test/support/tiny-model.ts";

test("statistics of rapo live on from update to update", async () => {
  const first = await tryRecipe("grpo", { credit: "rapo" });
  const { "credit/deviation": deviation, "credit/batchDeviation": batch } = first.record.metrics;
  expect(first.record.creditState).toEqual({ task: 2, update: 1, priorDeviation: deviation, lastDeviation: batch });
  const state = { task: 3, update: 2, priorDeviation: 4, lastDeviation: 100 };
  const second = await tryRecipe("grpo", { credit: "rapo", creditState: state });
  // 0.999 of the past stays.
  const { "credit/deviation": blended, "credit/batchDeviation": now } = second.record.metrics;
  expect(blended).toBeCloseTo(0.999 * 4 + 0.001 * (now as number), 9);
  expect(second.record.creditState).toMatchObject({ task: 3, update: 3 });
  await Promise.all([first.model.close(), second.model.close()]);
});

test("methods without a memory keep nothing", async () => {
  const { record, model } = await tryRecipe("grpo");
  expect(record.creditState).toBeNull();
  expect(Object.keys(record.metrics).filter((name) => name.startsWith("provider/"))).toEqual([]);
  await model.close();
});

test("a value head learns the returns beside the policy", async () => {
  const config = { ...tinyConfig, vocabularySize: 272, contextLength: 512 };
  const heads = { heads: (own: typeof config) => headShapes(own, ["value"]) };
  const model = await createModel(config, { seed: 1, threads: 1, ...heads });
  try {
    const given = { "value-head.clip": null, klWeight: 0 };
    const first = await tryRecipe("grpo", { credit: "gae", model, given, collect: oneTask });
    expect(first.record.metrics["loss/value/loss"]).toBeGreaterThan(0);
    expect(first.record.metrics["provider/modelTokens"]).toBeGreaterThan(0);
    expect(model.weights.views["value_head.weight"]?.some((value) => value !== 0)).toBe(true);
    // The same episodes again and again: the head comes nearer to their returns.
    let last = first;
    for (let again = 0; again < 12; again += 1) {
      last = await tryRecipe("grpo", { credit: "gae", model, given, collect: oneTask });
    }
    const [before, after] = [first, last].map(({ record }) => record.metrics["loss/value/loss"] as number);
    expect(after).toBeLessThan(before as number);
  } finally {
    await model.close();
  }
});

test("beside Monte Carlo values too: mc-critic with mix below 1 gives the head its targets", async () => {
  const config = { ...tinyConfig, vocabularySize: 272, contextLength: 512 };
  const heads = { heads: (own: typeof config) => headShapes(own, ["value"]) };
  const model = await createModel(config, { seed: 1, threads: 1, ...heads });
  try {
    const given = { "credit.mix": 0.5, "continuations.count": 1, "value-head.clip": null, klWeight: 0 };
    const { record } = await tryRecipe("grpo", { credit: "mc-critic", model, given, collect: oneTask });
    expect(record.metrics["loss/value/loss"]).toBeGreaterThan(0);
    expect(model.weights.views["value_head.weight"]?.some((value) => value !== 0)).toBe(true);
  } finally {
    await model.close();
  }
});

test("while the values warm up the policy loss moves nothing", async () => {
  const config = { ...tinyConfig, vocabularySize: 272, contextLength: 512 };
  const heads = { heads: (own: typeof config) => headShapes(own, ["value"]) };
  const model = await createModel(config, { seed: 1, threads: 1, ...heads });
  try {
    const given = { "value-head.warmUp": 1, klWeight: 0 };
    const first = await tryRecipe("grpo", { credit: "gae", model, given, collect: oneTask, update: 1 });
    const second = await tryRecipe("grpo", { credit: "gae", model, given, collect: oneTask, update: 2 });
    const losses = [first, second].map(({ record }) =>
      Object.keys(record.metrics).filter((name) => /^loss\/(policy|value)\/loss$/.test(name)),
    );
    expect(losses.map((names) => names.toSorted())).toEqual([
      ["loss/value/loss"],
      ["loss/policy/loss", "loss/value/loss"],
    ]);
    expect(model.weights.views["value_head.weight"]?.some((value) => value !== 0)).toBe(true);
  } finally {
    await model.close();
  }
});

test("what providers take is part of the account and told by name", async () => {
  const { record, update, model } = await tryRecipe("grpo", { credit: "rapo" });
  const { modelTokens } = plus(costOf(record.episodes), {
    modelTokens: record.metrics["provider/modelTokens"] as number,
  });
  expect(update.ledger.cost.modelTokens).toBe(modelTokens);
  await model.close();
});
