import { expect, test } from "vitest";
import { episodes, round } from "../../test/support/credit.ts";
import { assignCredit } from "./assign.ts";
import { batchFromJson } from "./batch-json.ts";
import { composeCredit } from "./compose.ts";
import { gigpo } from "./gigpo.ts";
import { credits } from "./index.ts";
import { randomBatch } from "./random-batch.ts";

const step = {
  weight: 1,
  mode: "mean_norm",
  gamma: 0.95,
  invalidPenalty: 0,
  stateSingleton: "zero",
  stateMatch: "exact",
  similarity: 0.95,
  deviation: "unbiased",
  epsilon: 1e-6,
};
const teacher = { episodeWeight: 0.5, stepWeight: 0.5, teacherMode: "additive", normalize: false, clip: null };

const json = episodes({
  X: { outcome: 1, steps: [{ state: "s", reward: 1, logprobs: { old: [0], episodeTeacher: [0.2] } }] },
  Y: { outcome: 0, steps: [{ state: "s", reward: 0, logprobs: { old: [0], episodeTeacher: [0] } }] },
});

test("outcome, step and teacher add up, each visible", () => {
  const result = composeCredit(batchFromJson(json), { outcome: { credit: credits.rloo }, step, teacher });
  expect(Object.keys(result.terms)).toEqual(["outcome", "step", "episodeTeacher"]);
  // RLOO 1, -1; step 0.5, -0.5; teacher 0.5 * 0.2.
  expect(result.advantages.map(([value]) => round(value!))).toEqual([1.6, -1.5]);
});

test("Dr.GRPO with a step part is GiGPO", () => {
  const batch = randomBatch({ seed: 5, tasks: 3, trajectories: 4, steps: 4, tokens: 3, plain: true });
  for (const given of [batch, batchFromJson(credits.gigpo.example.batch)]) {
    const composed = composeCredit(given, { outcome: { credit: credits["dr-grpo"] }, step });
    expect(composed.advantages).toEqual(assignCredit(gigpo, given).advantages);
  }
});

test("teachers come after whitening, unless told: their weight is absolute", () => {
  const whitened = composeCredit(batchFromJson(json), {
    outcome: { credit: credits["dr-grpo"] },
    teacher,
    whiten: "before-teacher",
  });
  // 0.5, -0.5: mean 0, variance 0.5, root 0.707107; 0.707107 + 0.5 * 0.2 and -0.707107.
  expect(whitened.advantages.map(([value]) => round(value!))).toEqual([0.807107, -0.707107]);
  const after = composeCredit(batchFromJson(json), {
    outcome: { credit: credits["dr-grpo"] },
    teacher,
    whiten: "after-teacher",
  });
  // 0.6, -0.5 whitened is plus and minus 0.707107.
  expect(after.advantages.map(([value]) => round(value!))).toEqual([0.707107, -0.707107]);
});

test("an estimator that whitens can be whitened again, and its terms still add up", () => {
  const batch = randomBatch({ seed: 2, tasks: 2, trajectories: 3, steps: 2, tokens: 3 });
  const { terms, advantages } = composeCredit(batch, { outcome: { credit: credits.gae }, whiten: "before-teacher" });
  expect(Object.keys(terms)).toEqual(["critic", "batchMean", "secondBatchMean"]);
  const at = batch.rows[0]!.mask.indexOf(1);
  const sum = Object.values(terms).reduce(
    (total, { weight, perRow, perToken }) => total + weight * (perRow?.[0] ?? perToken![0]![at]!),
    0,
  );
  expect(advantages[0]![at]).toBeCloseTo(sum, 9);
});

test("needs of the parts are checked", () => {
  const bare = batchFromJson(episodes({ X: { outcome: 1, steps: [{}] } }));
  expect(() => composeCredit(bare, { outcome: { credit: credits.gae } })).toThrow(/GAE needs a value estimate/);
  expect(() => composeCredit(bare, { outcome: { credit: credits.grpo }, step })).toThrow(/the step part needs/);
});
