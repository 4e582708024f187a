import { expect, test } from "vitest";
import { tinyConfig, tinyWeights } from "../../../../test/support/tiny-model.ts";
import type { BackwardReport, Learner, Scorer } from "limbeck-policy/policy/policy";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { createSchedule } from "limbeck-policy/policy/schedule";
import { wrapModel } from "limbeck-policy/policy/local/open-model";
import { createWeights } from "limbeck-policy/policy/local/weights";
import { crossEntropy } from "./cross-entropy.ts";
import { trainSupervised, type SupervisedOptions, type SupervisedReport } from "./supervised.ts";

const row = (...ids: number[]): TrainRow => ({ ids: Int32Array.from(ids), mask: new Uint8Array(ids.length).fill(1) });
const rows = [row(1, 2, 3, 4), row(2, 3, 4, 5), row(3, 4, 5, 6), row(4, 5, 6, 7), row(5, 6, 7, 8)];

const settings: SupervisedOptions = {
  objective: crossEntropy.create(),
  schedule: createSchedule({ kind: "linear", learningRate: 1, steps: 4 }),
  steps: 4,
  batchRows: 2,
  seed: 7,
};

/** Notes what it is given; its loss is always 1. */
function recorder(): { learner: Learner & Scorer; seen: string[]; rates: number[] } {
  const seen: string[] = [];
  const rates: number[] = [];
  const report: BackwardReport = { loss: 1, metrics: {}, tokens: 8, tokensSaved: 0 };
  const learner: Learner & Scorer = {
    statistics: ["logprob"],
    backward: async (batch: readonly TrainRow[], _objective: Objective) => {
      seen.push(batch.map(({ ids }) => ids[0]).join(""));
      return report;
    },
    step: async ({ learningRate }) => {
      rates.push(learningRate);
      return { step: rates.length, gradientNorm: 2 };
    },
    score: async (given) => given.map(({ ids }) => ({ logprob: new Float32Array(ids.length).fill(-3) })),
    discard: () => undefined,
    save: async () => undefined,
    load: async () => undefined,
  };
  return { learner, seen, rates };
}

test("every epoch sees every row once, in an order of its own", async () => {
  const { learner, seen } = recorder();
  await trainSupervised(learner, rows, { ...settings, steps: 10 });
  const order = seen.join("");
  expect(seen.every((batch) => batch.length === 2)).toBe(true);
  const epochs = [0, 5, 10, 15].map((start) => order.slice(start, start + 5));
  expect(epochs.map((epoch) => epoch.split("").sort().join(""))).toEqual(["12345", "12345", "12345", "12345"]);
  expect(new Set(epochs).size).toBeGreaterThan(1);
});

test("a run that starts later sees the rest of the same batches, at the same rates", async () => {
  const [whole, rest] = [recorder(), recorder()];
  await trainSupervised(whole.learner, rows, settings);
  await trainSupervised(rest.learner, rows, { ...settings, from: 2 });
  expect(rest.seen).toEqual(whole.seen.slice(2));
  expect(whole.rates).toEqual([1, 0.75, 0.5, 0.25]);
  expect(rest.rates).toEqual([0.5, 0.25]);
});

test("the held-out loss is measured when due and at the end", async () => {
  const { learner } = recorder();
  const reports: SupervisedReport[] = [];
  const last = await trainSupervised(learner, rows, {
    ...settings,
    steps: 5,
    heldOut: [row(1, 2)],
    evaluateEvery: 2,
    onStep: (report) => void reports.push(report),
  });
  expect(reports.map(({ step, heldOutLoss }) => [step, heldOutLoss])).toEqual([
    [1, undefined],
    [2, 3],
    [3, undefined],
    [4, 3],
    [5, 3],
  ]);
  expect(last).toBe(3);
});

test("it stops between updates, and nothing cannot be trained on", async () => {
  const { learner, seen } = recorder();
  const stop = new AbortController();
  const onStep = ({ step }: SupervisedReport): void => {
    if (step === 2) stop.abort();
  };
  await expect(trainSupervised(learner, rows, { ...settings, onStep, signal: stop.signal })).rejects.toThrow(
    /aborted|cancelled/,
  );
  expect(seen).toHaveLength(2);
  await expect(trainSupervised(learner, [], settings)).rejects.toThrow("no row to train on");
  await expect(trainSupervised(learner, rows, { ...settings, batchRows: 0 })).rejects.toThrow(
    "Option batchRows of trainSupervised is 0",
  );
});

test("a real model learns the rows", async () => {
  const weights = createWeights(tinyConfig);
  for (const [name, values] of Object.entries(tinyWeights())) weights.views[name]?.set(values);
  const model = await wrapModel({ config: tinyConfig, weights }, { threads: 1 });
  try {
    const losses: number[] = [];
    await trainSupervised(model, rows, {
      ...settings,
      schedule: createSchedule({ kind: "constant", learningRate: 0.02 }),
      steps: 30,
      clipNorm: 1,
      onStep: ({ loss }) => void losses.push(loss),
    });
    expect(losses.at(-1)).toBeLessThan(0.5 * (losses[0] as number));
  } finally {
    await model.close();
  }
});
