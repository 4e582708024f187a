import { expect, test } from "vitest";
import { lossPass } from "./training-run.ts";
import type { ServedLoss } from "./requests.ts";

/** One target with log-probability -1; what is given, and the loss and slope that follow. */
function tried(loss_fn: ServedLoss, inputs: { w?: number; q?: number; A?: number }, config = {}): [number, number] {
  const tensor = (value: number) => ({ data: [value] });
  const { objective } = lossPass({
    data: [
      {
        model_input: { chunks: [{ tokens: [5] }] },
        loss_fn_inputs: {
          target_tokens: tensor(7),
          ...(inputs.w === undefined ? {} : { weights: tensor(inputs.w) }),
          logprobs: tensor(inputs.q ?? 0),
          advantages: tensor(inputs.A ?? 0),
        },
      },
    ],
    loss_fn,
    loss_fn_config: config,
  });
  const live = { logprob: [Float64Array.of(0, -1)] };
  const { loss, weights } = objective.compute(live, live, []);
  return [loss, weights.logprob?.[0]?.[1] ?? Number.NaN];
}

const close = (pair: readonly number[]) => pair.map((value) => expect.closeTo(value, 10) as number);

test("cross entropy: loss -w lp, slope -w", () => {
  // -2 * -1 = 2
  expect(tried("cross_entropy", { w: 2 })).toEqual([2, -2]);
  expect(tried("cross_entropy", {})).toEqual([1, -1]);
});

test("importance sampling: -w r A, which is its own slope", () => {
  // r = exp(-1 - (-1)) = 1: -3 * 1 * 2 = -6.   r = exp(-1 - (-1 - ln 2)) = 2: -1 * 2 * 2 = -4.
  expect(tried("importance_sampling", { w: 3, q: -1, A: 2 })).toEqual([-6, -6]);
  expect(tried("importance_sampling", { q: -1 - Math.LN2, A: 2 })).toEqual(close([-4, -4]));
});

test("ppo: the smaller of the free and the clipped gain; no slope where it is clipped", () => {
  // r = 2, bounds 0.8 and 1.2. A = 1: min(2, 1.2) = 1.2, clipped. A = -1: min(-2, -1.2) = -2, free.
  expect(tried("ppo", { q: -1 - Math.LN2, A: 1 })).toEqual(close([-1.2, 0]));
  expect(tried("ppo", { q: -1 - Math.LN2, A: -1 })).toEqual(close([2, 2]));
  // r = 0.5. A = -1: min(-0.5, -0.8) = -0.8, clipped. Bounds of 0.4 and 1.2 leave it free.
  expect(tried("ppo", { q: -1 + Math.LN2, A: -1 })).toEqual(close([0.8, 0]));
  expect(tried("ppo", { q: -1 + Math.LN2, A: -1 }, { clip_low_threshold: 0.4 })).toEqual(close([0.5, 0.5]));
});

test("cispo: the clipped ratio is a number, the log-probability has the slope", () => {
  // r = 2 is clipped to 1.2: loss -1.2 * -1 * 3 = 3.6, slope -1.2 * 3 = -3.6.
  expect(tried("cispo", { q: -1 - Math.LN2, A: 3 })).toEqual(close([3.6, -3.6]));
});

test("dro: the advantage along the log-probability, less a square of the way from the sampler", () => {
  // lp = -1, q = -3, A = 2, beta 0.5: -(-1 * 2 - 0.25 * 4) = 3; slope -(2 - 0.5 * 2) = -1. With w = 2 twice that.
  expect(tried("dro", { q: -3, A: 2 }, { beta: 0.5 })).toEqual([3, -1]);
  expect(tried("dro", { w: 2, q: -3, A: 2 }, { beta: 0.5 })).toEqual([6, -2]);
  // beta 0.05: -(-2 - 0.025 * 4) = 2.1; slope -(2 - 0.05 * 2) = -1.9.
  expect(tried("dro", { q: -3, A: 2 })).toEqual(close([2.1, -1.9]));
});

test("targets that are not the input's next tokens are asked for as candidates", () => {
  const datum = (targets: number[]) => ({
    model_input: { chunks: [{ tokens: [5, 6] }, { tokens: [7] }] },
    loss_fn_inputs: { target_tokens: { data: targets } },
  });
  const plain = lossPass({ data: [datum([6, 7, 8])], loss_fn: "cross_entropy" });
  expect([plain.statistic, [...(plain.rows[0]?.ids ?? [])]]).toEqual(["logprob", [5, 6, 7, 8]]);
  const free = lossPass({ data: [datum([6, 9, 8])], loss_fn: "cross_entropy" });
  expect([free.statistic, [...(free.rows[0]?.candidates?.ids ?? [])]]).toEqual(["candidates", [0, 6, 9, 8]]);
});
