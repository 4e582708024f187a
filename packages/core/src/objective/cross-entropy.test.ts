import { expect, test } from "vitest";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { publishedObjective } from "../../../../test/support/published-objective.ts";
import { crossEntropy } from "./cross-entropy.ts";

const row = (mask: number[], weights?: number[]): TrainRow => ({
  ids: new Int32Array(mask.length),
  mask: Uint8Array.from(mask),
  ...(weights === undefined ? {} : { weights: Float64Array.from(weights) }),
});

function compute(logprobs: number[][], rows: TrainRow[], options?: Parameters<typeof crossEntropy.create>[0]) {
  const statistics = { logprob: logprobs.map((values) => Float64Array.from(values)) };
  const { loss, weights, metrics } = crossEntropy.create(options).compute(statistics, statistics, rows);
  return { loss, weights: weights.logprob?.map((values) => [...values]), metrics };
}

test("the mean over all trained tokens", () => {
  // Trained: -1, -2 of the first row, -6 of the second; (1 + 2 + 6) / 3 = 3, each with weight -1/3.
  const { loss, weights, metrics } = compute(
    [
      [0, -1, -2, -9],
      [0, -7, -6],
    ],
    [row([0, 1, 1, 0]), row([0, 0, 1])],
  );
  expect(loss).toBeCloseTo(3, 12);
  expect(weights).toEqual([
    [0, -1 / 3, -1 / 3, 0],
    [0, 0, -1 / 3],
  ]);
  expect(metrics).toEqual({ trainedTokens: 3, perplexity: Math.exp(loss) });
});

test("the mean over rows of the mean over their tokens", () => {
  // Row means 1.5 and 6, their mean 3.75; an empty row does not count as a third.
  const logprobs = [
    [0, -1, -2],
    [0, -6],
    [0, -5],
  ];
  const rows = [row([0, 1, 1]), row([0, 1]), row([0, 0])];
  const { loss, weights } = compute(logprobs, rows, { average: "rows" });
  expect(loss).toBeCloseTo(3.75, 12);
  expect(weights).toEqual([
    [0, -0.25, -0.25],
    [0, -0.5],
    [0, 0],
  ]);
});

test("weights of tokens count, and position 0 never does", () => {
  // (0.5 * 2 + 1.5 * 4) / (0.5 + 1.5) = 3.5
  const { loss, weights } = compute([[-9, -2, -4]], [row([1, 1, 1], [8, 0.5, 1.5])]);
  expect(loss).toBeCloseTo(3.5, 12);
  expect(weights).toEqual([[0, -0.25, -0.75]]);
});

test("nothing to train on gives zero, not NaN", () => {
  expect(compute([[0, -1]], [row([0, 0])])).toMatchObject({ loss: 0, weights: [[0, 0]] });
});

test("options that do not exist are refused", () => {
  expect(() => crossEntropy.create({ average: "batch" as "rows" })).toThrow(
    'average of cross-entropy is "batch"; it takes tokens or rows',
  );
  expect(() => crossEntropy.create({ averag: "rows" } as object)).toThrow('Did you mean "average"?');
});

publishedObjective("cross-entropy", crossEntropy);
