import { expect, test } from "vitest";
import { balanceObjectives } from "./balanced.ts";
import { crossEntropy } from "./cross-entropy.ts";
import { kl } from "./kl.ts";
import { objectiveLaws } from "./objective.contract.ts";
import { onlyRows } from "./only-rows.ts";

const OPTIONS = { base: 1, decay: 0.9, least: 0.1, most: 10 };
const AVERAGES = { tuning: 2, teaching: 0.5 };

objectiveLaws("balanced", [
  {
    name: "after some batches",
    create: () =>
      balanceObjectives({ tuning: crossEntropy.create(), teaching: kl.create(), averages: AVERAGES, options: OPTIONS }),
  },
]);

/** One trained token of log-probability -1, a reference at -1 - k. */
const row = (trajectory: string, k: number) => ({
  ids: new Int32Array(2),
  mask: Uint8Array.of(0, 1),
  trajectory,
  referenceLogprobs: Float64Array.of(0, -1 - k),
});

test("the worked averages weigh the second loss", () => {
  // Fine-tuning loss 1. k2 of k is k^2 / 2 = 0.7 for k = sqrt 1.4. Averages 1.9 and 0.52, weight 3.653846;
  // loss 1 + 3.653846 * 0.7 = 3.557692.
  const rows = [row("tuned", 0), row("taught", Math.sqrt(1.4))];
  const live = { logprob: [Float64Array.of(0, -1), Float64Array.of(0, -1)] };
  const objective = balanceObjectives({
    tuning: onlyRows(crossEntropy.create(), ({ trajectory }) => trajectory === "tuned"),
    teaching: onlyRows(kl.create({ estimator: "k2" }), ({ trajectory }) => trajectory === "taught"),
    averages: AVERAGES,
    options: OPTIONS,
  });
  const { loss, metrics } = objective.compute(live, live, rows);
  expect(metrics?.["averageTuning"]).toBeCloseTo(1.9, 12);
  expect(metrics?.["averageTeaching"]).toBeCloseTo(0.52, 12);
  expect(metrics?.["balance"]).toBeCloseTo(3.653846, 6);
  expect(loss).toBeCloseTo(3.557692, 6);
  // A batch that taught nobody moves only one of them, and has only one loss.
  const alone = objective.compute(
    { logprob: [live.logprob[0] as Float64Array] },
    { logprob: [live.logprob[0] as Float64Array] },
    rows.slice(0, 1),
  );
  expect(alone.loss).toBeCloseTo(1, 12);
  expect(alone.metrics?.["averageTeaching"]).toBe(0.5);
});
