import { expect, test } from "vitest";
import { computeTaught, logs, TEACHER, STUDENT } from "../../../../test/support/taught-rows.ts";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { sdpo } from "./sdpo.ts";

// The tokens of credit opd's test.
const lpS = [-1, -0.2, -3];
const lpT = [-0.7, -0.9, -3];

test("the sampled form: the stopped gap times the log-probability", () => {
  // Gaps -0.3, 0.7, 0; times log p: 0.3, -0.14, 0; their mean. (A row's mean has 1e-8 in its divisor.)
  const { loss, onSampled } = computeTaught(sdpo.create(), { now: lpS, old: lpS, teacher: lpT });
  expect(loss).toBeCloseTo((0.3 - 0.14) / 3, 7);
  [-0.3, 0.7, 0].forEach((gap, token) => expect(onSampled[token]).toBeCloseTo(gap / 3, 7));
});

test("importance: exp(0.3) = 1.349859, and never more than the cap", () => {
  const of = (difference: number): number | undefined =>
    computeTaught(sdpo.create(), { now: [-1], old: [-1 - difference], teacher: [-2] }).metrics["importance"];
  expect(of(0.3)).toBeCloseTo(1.349859, 6);
  expect(of(1)).toBe(2);
  expect(of(-100)).toBeCloseTo(Math.exp(-20), 12);
});

test("with candidates it is the toolbox's divergence", () => {
  const words = { now: [logs(STUDENT)], teacher: [logs(TEACHER)] };
  const given = { now: [-1], old: [-1.3], teacher: [-0.7], words };
  expect(computeTaught(sdpo.create({ form: "forward" }), given).loss).toBeCloseTo(1.349859 * 0.096901, 5);
  expect(computeTaught(sdpo.create({ form: "reverse" }), given).loss).toBeCloseTo(1.349859 * 0.109023, 5);
  expect(computeTaught(sdpo.create({ form: "jsd" }), given).loss).toBeCloseTo(1.349859 * 0.025362, 5);
});

test("rows without a teacher take no part, and a batch of them is 0", () => {
  const ids = new Int32Array(2);
  const row = { ids, mask: Uint8Array.of(0, 1), oldLogprobs: Float64Array.of(0, -1) };
  const live = { logprob: [Float64Array.of(0, -1)] };
  const { loss, weights } = sdpo.create().compute(live, live, [row]);
  expect([loss, ...(weights.logprob?.[0] ?? [])]).toEqual([0, 0, 0]);
});

publishedObjective("sdpo", sdpo);
