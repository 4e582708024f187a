import { describe, expect, test } from "vitest";
import { idle, obedient } from "../../../../test/support/obedient.ts";
import { corridorEpisodes, oneTask, openUpdate, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { getRecipe } from "./registry.ts";
import { flattenSettings } from "../update/settings.ts";

recipeContract("trd", { teacherPolicy: () => obedient });

const parts = { collect: oneTask, teacherPolicy: () => obedient };

test("every episode is played over, and the rewrites are learned from under the plain prompt", async () => {
  const { record, model } = await tryRecipe("trd", parts);
  expect(record.metrics).toMatchObject({ "trd/rewritten": 6, "trd/mended": 6, "trd/left": 0 });
  expect(record.beside.every(({ success, info }) => success === true && info?.["phase"] === "rewritten")).toBe(true);
  // The teacher scored the rewrites and nothing else.
  expect([...(record.taught?.opinions.keys() ?? [])].sort()).toEqual(record.beside.map(({ id }) => id).sort());
  expect(record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
  expect(record.metrics["loss/shift/loss"]).toBeUndefined();
  await model.close();
});

test("failed episodes only", async () => {
  const { record, model } = await tryRecipe("trd", { ...parts, given: { rewritten: "failed" } });
  const failed = record.episodes.filter(({ success }) => success !== true).length;
  expect(record.metrics["trd/rewritten"]).toBe(failed);
  await model.close();
});

test("a rewrite that fails leaves the attempt: scored as it is, or dropped", async () => {
  const left = await tryRecipe("trd", { ...parts, teacherPolicy: () => idle });
  expect(left.record.metrics).toMatchObject({ "trd/mended": 0, "trd/left": 6 });
  expect([...(left.record.taught?.opinions.keys() ?? [])].sort()).toEqual(
    left.record.episodes.map(({ id }) => id).sort(),
  );
  expect(left.record.metrics["loss/policy/divergence"]).toBeUndefined();
  expect(left.model.weights.flat).not.toEqual(left.before);
  const dropped = await tryRecipe("trd", { ...parts, teacherPolicy: () => idle, given: { unfinished: "drop" } });
  expect(dropped.model.weights.flat).toEqual(dropped.before);
  await Promise.all([left.model.close(), dropped.model.close()]);
});

test("an attempt without a known solution is not played over, has no teacher, and stays with advantage 0", async () => {
  const { update, record, settings, model } = await openUpdate("trd", { teacherPolicy: () => obedient });
  const [first, ...others] = await corridorEpisodes("one");
  const unknown = first?.task.id ?? "";
  record.solutions.set(unknown, Promise.resolve(undefined));
  await getRecipe("trd").update(update, flattenSettings(settings));
  const without = [first, ...others].filter((one) => one?.task.id === unknown).length;
  expect(others.length + 1).toBeGreaterThan(without);
  expect(record.metrics).toMatchObject({ "trd/rewritten": others.length + 1 - without, "trd/left": without });
  const rows = record.credited?.rows.filter(({ trajectory }) => trajectory === first?.id) ?? [];
  expect(rows).toHaveLength(1);
  expect(rows.flatMap(({ advantages = [] }) => [...advantages]).every((one) => one === 0)).toBe(true);
  await model.close();
});

describe.each([
  ["k3 of the sampled token", { form: "sampled" }],
  ["the whole vocabulary", { form: "vocabulary", clamp: 0.1 }],
  ["likely words, both sides renormalised", { rest: "renormalise", direction: "jsd" }],
] as const)("by %s", (_name, given) => {
  test("rewrites are learned from", async () => {
    const { record, model, before } = await tryRecipe("trd", { ...parts, given });
    expect(record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
    expect(model.weights.flat).not.toEqual(before);
    await model.close();
  });
});
