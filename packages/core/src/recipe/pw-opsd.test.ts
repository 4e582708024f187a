import { describe, expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { knownDivergence, statisticsOf } from "../../../../test/support/known-divergence.ts";
import { published } from "../../../../test/support/published.ts";
import { oneTask, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { weighPositions, type PositionWeights } from "../distill/position-weights.ts";
import { divergenceLoss } from "./divergence-form.ts";

recipeContract("pw-opsd");

const sigmoid: PositionWeights = { form: "sigmoid", least: 0.25, rise: 0.3, width: 0.1, slope: 1 };
const linear: PositionWeights = { ...sigmoid, form: "linear" };
const whole = { form: "vocabulary", direction: "forward", middle: 0.5, candidates: 2, rest: "tail" } as const;

type Logits = readonly (readonly (readonly number[])[])[];

interface Case {
  readonly middle: number;
  readonly clamp: number | null;
  readonly student: Logits;
  readonly teacher: Logits;
  readonly mask: readonly (readonly number[])[];
  readonly loss: number;
  readonly gradient: Logits;
}

/** Log-probabilities of each token's words, one after the other; those of the first token do not exist. */
function columns(sequence: Logits[number]): number[] {
  const logprobs = sequence.flatMap((logits) => {
    const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    return logits.map((logit) => logit - total);
  });
  return [...(sequence[0] ?? []).map(() => 0), ...logprobs];
}

test.each([...published<Case>("pw-opsd").cases.entries()])(
  "published code gives the same loss and gradient: case %i",
  (_, { middle, clamp, student, teacher, mask: masks, loss, gradient }) => {
    const count = student[0]?.[0]?.length ?? 0;
    const rows = masks.map((one, at) => {
      const mask = Uint8Array.of(0, ...one);
      return {
        ids: new Int32Array(mask.length),
        mask,
        weights: weighPositions(mask, sigmoid),
        candidates: { count, ids: new Int32Array(count * mask.length) },
        teacherCandidates: Float32Array.from(columns(teacher[at] ?? [])),
      };
    });
    const live = { candidates: student.map((sequence) => Float64Array.from(columns(sequence))) };
    const options = { ...whole, direction: "jsd", middle, clamp, clampOf: "word" } as const;
    const found = divergenceLoss(options, "seq-mean-token-mean").compute(live, live, rows);
    expect(found.loss).toBeCloseTo(loss, 5);
    for (const [row, tokens] of gradient.entries()) {
      for (const [token, words] of tokens.entries()) {
        const from = (token + 1) * count;
        const slopes = [...(found.weights.candidates?.[row]?.subarray(from, from + count) ?? [])];
        const pull = slopes.reduce((sum, slope) => sum + slope, 0);
        for (const [word, value] of words.entries()) {
          // Back through the softmax.
          const p = Math.exp(live.candidates[row]?.[from + word] ?? 0);
          expect((slopes[word] ?? 0) - p * pull).toBeCloseTo(value, 5);
        }
      }
    }
  },
);

test("the worked row: divergences 0.4, 0.3, 0.2, 0.1 weighed by place, and clamped at 0.25", () => {
  const mask = Uint8Array.of(0, 1, 1, 1, 1);
  const lossOf = (how: PositionWeights, clamp: number | null): number => {
    const known = knownDivergence([0.4, 0.3, 0.2, 0.1], { weights: weighPositions(mask, how) });
    const live = statisticsOf([known]);
    const options = { ...whole, form: "candidates", clamp } as const;
    return divergenceLoss(options, "seq-mean-token-mean").compute(live, live, [known.row]).loss;
  };
  // t 1/8, 3/8, 5/8, 7/8: weights 0.361035, 0.759384, 0.972005, 0.997620.
  expect(lossOf(sigmoid, null)).toBeCloseTo(0.166598, 6);
  expect(lossOf(linear, null)).toBeCloseTo(0.1875, 6);
  expect(lossOf(linear, 0.25)).toBeCloseTo(0.16875, 6);
});

/**
 * A policy with one belief, the chance of the right word, that holds at every place. It learns from a teacher who says 0.9
 * where it is right and 0.5 where noise was planted.
 */
function learnedBelief(teacher: readonly number[], slope: number): number {
  const mask = Uint8Array.from([0, ...teacher.map(() => 1)]);
  const count = 2;
  const column = (shares: readonly number[]): number[] => [
    ...Array.from({ length: count }, () => 0),
    ...shares.flatMap((share) => [Math.log(share), Math.log(1 - share)]),
  ];
  const row = {
    ids: new Int32Array(mask.length),
    mask,
    weights: weighPositions(mask, { ...linear, slope }),
    candidates: { count, ids: Int32Array.from(Array.from(mask, () => [0, 1]).flat()) },
    teacherCandidates: Float32Array.from(column(teacher)),
  };
  const objective = divergenceLoss({ ...whole, clamp: null }, "seq-mean-token-mean");
  let logit = 0;
  for (let step = 0; step < 200; step += 1) {
    const belief = 1 / (1 + Math.exp(-logit));
    const live = { candidates: [Float64Array.from(column(teacher.map(() => belief)))] };
    const slopes = objective.compute(live, live, [row]).weights.candidates?.[0] as ArrayLike<number>;
    // d log p(right) = 1 - p, d log p(wrong) = -p.
    for (let at = count; at < slopes.length; at += count) {
      logit -= (slopes[at] as number) * (1 - belief) - (slopes[at + 1] as number) * belief;
    }
  }
  return 1 / (1 + Math.exp(-logit));
}

test("planted early noise: rising weights err less than uniform ones, and more where the noise comes late", () => {
  const early = [0.5, 0.5, 0.9, 0.9];
  // Forward divergence is least at the weighed mean of what the teacher says: (0.5 + 0.5 + 0.9 + 0.9) / 4 = 0.7.
  expect(learnedBelief(early, 0)).toBeCloseTo(0.7, 5);
  // 0.25, 0.75, 1.25 and 1.75: (0.125 + 0.375 + 1.125 + 1.575) / 4 = 0.8. It errs in 0.2 of the words, not in 0.3.
  expect(learnedBelief(early, 1)).toBeCloseTo(0.8, 5);
  // The other way round: (0.225 + 0.675 + 0.625 + 0.875) / 4 = 0.6.
  expect(learnedBelief(early.toReversed(), 1)).toBeCloseTo(0.6, 5);
});

describe.each([
  ["the sampled token", { form: "sampled" }],
  ["the whole vocabulary", { form: "vocabulary" }],
  ["the policy's own likely words", { direction: "reverse", candidates: 4 }],
  ["the words of both", { direction: "jsd", candidates: 4, rest: "renormalise" }],
  ["weights that rise evenly", { position: "linear" }],
  ["a clamp of the whole token", { clampOf: "token", clamp: 1 }],
] as const)("by %s", (_name, given) => {
  test("the teacher is learned from", async () => {
    const { record, model, before } = await tryRecipe("pw-opsd", { collect: oneTask, given });
    expect(record.metrics["context/taught"]).toBe(6);
    expect(record.metrics["loss/policy/divergence"]).toBeGreaterThan(0);
    expect(model.weights.flat).not.toEqual(before);
    await model.close();
  });
});

test("the weights of places matter", async () => {
  const [weighed, uniform] = [
    await tryRecipe("pw-opsd", { collect: oneTask }),
    await tryRecipe("pw-opsd", { collect: oneTask, given: { leastWeight: 1 } }),
  ];
  expect(weighed.model.weights.flat).not.toEqual(uniform.model.weights.flat);
  await Promise.all([weighed.model.close(), uniform.model.close()]);
});

test("a silent teacher teaches nothing", async () => {
  const { model, before } = await tryRecipe("pw-opsd", { collect: oneTask, given: { stopAfter: 0 } });
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
