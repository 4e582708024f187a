import { afterAll, beforeAll, expect, test } from "vitest";
import { idle, obedient } from "../../../../test/support/obedient.ts";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { objectives } from "../objective/registry.ts";

const parts = { teacherPolicy: () => obedient };
recipeContract("raft", parts);

/** One update, which several tests look at. */
let tried: Awaited<ReturnType<typeof tryRecipe>>;
beforeAll(async () => void (tried = await tryRecipe("raft", parts)));
afterAll(() => tried.model.close());

test("the worked distillation of two words at temperature 2", () => {
  // softmax([2, 1] / 2) = 0.622459, 0.377541; softmax([1, 1] / 2) = 0.5, 0.5.
  // 4 (0.622459 ln 1.244919 + 0.377541 ln 0.755081) = 4 * 0.030300 = 0.121199
  const logprobs = (logits: readonly number[]): number[] => {
    const total = Math.log(logits.reduce((sum, one) => sum + Math.exp(one), 0));
    return logits.map((one) => one - total);
  };
  const [teacher, student] = [logprobs([2, 1, -3]), logprobs([1, 1, 0.5])];
  const row = {
    ids: new Int32Array(2),
    mask: Uint8Array.of(0, 1),
    candidates: { count: 2, ids: Int32Array.of(0, 0, 0, 1) },
    teacherCandidates: Float32Array.from([0, 0, ...teacher.slice(0, 2)]),
  };
  const live = { candidates: [Float64Array.from([0, 0, ...student.slice(0, 2)])] };
  const objective = objectives["candidate-divergence"].create({
    direction: "forward",
    rest: "renormalise",
    temperature: 2,
  });
  expect(objective.compute(live, live, [row]).loss).toBeCloseTo(0.121199, 5);
});

test("solutions in the start's own words take the place of the demonstrator's", () => {
  const { record } = tried;
  expect(record.metrics).toMatchObject({ "raft/refined": 3, "raft/unrefined": 0 });
  expect(record.beside.every(({ info }) => info?.["phase"] === "refined")).toBe(true);
  expect(record.metrics["loss/policy/tuning/loss"]).toBeGreaterThan(0);
  expect(record.metrics["loss/policy/teaching/loss"]).toBeGreaterThan(0);
});

test("a rewrite that does all that it was told leaves nothing out", () => {
  expect(tried.record.metrics["raft/fused"]).toBe(0);
});

test("where the start fails with the solution in view, the solution itself is learned from", async () => {
  const { record, model } = await tryRecipe("raft", { teacherPolicy: () => idle });
  expect(record.metrics).toMatchObject({ "raft/refined": 0, "raft/unrefined": 3 });
  await model.close();
});

test("the averages of both losses are kept, and the next update begins with them", async () => {
  const { tuning, teaching } = tried.record.kept as { readonly tuning: number; readonly teaching: number };
  // The first losses are the first averages.
  expect(tuning).toBe(tried.record.metrics["loss/policy/tuning/loss"]);
  expect(teaching).toBe(tried.record.metrics["loss/policy/teaching/loss"]);
  const second = await tryRecipe("raft", { ...parts, update: 2, kept: { tuning: 2, teaching: 0.5 } });
  const now = second.record.metrics;
  expect(second.record.kept?.["tuning"]).toBeCloseTo(1.8 + 0.1 * (now["loss/policy/tuning/loss"] as number), 9);
  expect(second.record.kept?.["teaching"]).toBeCloseTo(0.45 + 0.1 * (now["loss/policy/teaching/loss"] as number), 9);
  await second.model.close();
});
