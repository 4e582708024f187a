import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { sigmoid } from "./losses.ts";
import { chanceOf, fitWithWords, ownTokens, ownWordsOf } from "./likelihood.ts";
import { fittedWithWords } from "./readers.ts";

const MARKS = { begin: 8, end: 9 };

test("own words are those between the marks, their end included, also of an answer that is cut", () => {
  expect([...ownTokens(Int32Array.of(1, 8, 2, 3, 9, 1, 8, 4), MARKS)]).toEqual([0, 0, 1, 1, 1, 0, 0, 1]);
});

test("at each place stand the mean and the least of what was said before it", async () => {
  const logprob = Float32Array.of(0, 0, -1, -3, -2, 0, 0);
  const model = { score: () => Promise.resolve([{ logprob }]) };
  const [words, silent] = await ownWordsOf(model, MARKS, [
    { ids: Int32Array.of(1, 8, 2, 3, 9, 1, 0) },
    { ids: Int32Array.of(1, 1) },
  ]);
  expect([...(words?.mean ?? [])]).toEqual([0, 0, 0, -1, -2, -2, -2]);
  expect([...(words?.least ?? [])]).toEqual([0, 0, 0, -1, -3, -3, -3]);
  expect([...(silent?.mean ?? [])]).toEqual([0, 0]);
});

test("the fit finds the weights that made the labels", () => {
  const rng = createRng("words");
  const examples = Array.from({ length: 4_000 }, () => ({
    output: rng.normal(),
    mean: -rng.float(),
    least: -3 * rng.float(),
  }));
  const labels = examples.map(({ output, mean, least }) =>
    Number(rng.float() < sigmoid(1.5 * output + 2 * mean + 0.5 * least + 1)),
  );
  const fit = fitWithWords(examples, labels);
  // Standard errors are at most 0.12 at this number.
  expect(fit.slope).toBeCloseTo(1.5, 0);
  expect(Math.abs((fit.likelihood?.mean ?? 0) - 2)).toBeLessThan(0.3);
  expect(Math.abs((fit.likelihood?.least ?? 0) - 0.5)).toBeLessThan(0.15);
  expect(Math.abs(fit.shift - 1)).toBeLessThan(0.25);
  // 0.5 * 2 + 2 * -1 + 0 + 1 = 0.
  expect(chanceOf({ slope: 0.5, shift: 1, likelihood: { mean: 2, least: 0 } }, 2, -1, -5)).toBe(0.5);
  expect(chanceOf({ slope: 1, shift: 0 }, 0, -9, -9)).toBe(0.5);
});

test("places before the first own word have no part in the fit: there to say nothing would look surest", async () => {
  // Of two places of each row the first is silent and worth nothing; after the second the surer word is the better one.
  const doubts = Array.from({ length: 60 }, (_, at) => (at + 1) / 20);
  const rows = doubts.map((doubt, at) => ({
    ids: Int32Array.of(1, 2),
    mask: Uint8Array.of(1, 1),
    returns: Float64Array.of(0, at % 5 === 0 ? 0.5 : Number(doubt < 1)),
    trajectory: `${at}`,
    group: `${at}`,
    places: [],
  }));
  const words = () =>
    Promise.resolve(doubts.map((doubt) => ({ mean: Float32Array.of(0, -doubt), least: Float32Array.of(0, -doubt) })));
  const reader = () => Promise.resolve(rows.map(() => Float32Array.of(0, 0)));
  const { likelihood } = await fittedWithWords(reader, words, rows, "labelled");
  expect((likelihood?.mean ?? 0) + (likelihood?.least ?? 0)).toBeGreaterThan(1);
});
