import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import type { TokenStream, Trajectory } from "limbeck-base/trajectory/trajectory";
import { findPairs } from "./index.ts";
import { buildPairRows } from "./pair-rows.ts";

const stream = (ids: readonly number[], said: readonly number[]): TokenStream => ({
  ids: Int32Array.from(ids),
  mask: Uint8Array.from(ids, (_, at) => Number(said.includes(at))),
  logprobs: new Float32Array(ids.length).fill(-1),
});

const span = (start: number, end: number) => ({ stream: 0, start, end });

/** Reads 1, says 10, reads 2, says 11, reads 3, says 12. */
const attempt = sampleTrajectory("attempt", {
  steps: [0, 1, 2].map((index) => sampleStep(index, { span: span(2 * index + 1, 2 * index + 2) })),
  streams: [stream([1, 10, 2, 11, 3, 12], [1, 3, 5])],
  reward: scored(0),
  success: false,
});

/** From step 1 on: reads 2 and the advice 99, says 21, reads 4, says 22. Shared are the tokens 1 and 10. */
const retry = (value: number): Trajectory =>
  sampleTrajectory("retry", {
    parent: { trajectory: "attempt", step: 1 },
    steps: [sampleStep(1, { span: span(2, 3) }), sampleStep(2, { span: span(4, 5) })],
    streams: [stream([2, 99, 21, 4, 22], [2, 4])],
    reward: scored(value),
    info: { guidance: "look again", sharedTokens: 2 },
  });

test("a retry that succeeded is preferred from the pivot on", () => {
  expect(findPairs("r3l", [attempt, retry(1)])).toEqual([
    {
      id: "retry@1-2 > attempt@1-2",
      task: "task-1",
      chosen: { trajectory: "retry", steps: [1, 2] },
      rejected: { trajectory: "attempt", steps: [1, 2] },
      margin: 1,
    },
  ]);
});

test("a retry that did not fully succeed, or did no better, is no lesson", () => {
  expect(findPairs("r3l", [attempt, retry(0.9)])).toEqual([]);
  expect(findPairs("r3l", [attempt, retry(0.9)], { fullSuccess: 0.8 })).toHaveLength(1);
  const won = { ...attempt, reward: scored(1), success: true };
  // As many steps for the same reward.
  expect(findPairs("r3l", [won, retry(1)])).toEqual([]);
  const short = { ...retry(1), steps: retry(1).steps.slice(0, 1) };
  expect(findPairs("r3l", [won, short])).toHaveLength(1);
});

test("rows hold neither the advice nor a gradient before the pivot", () => {
  const all = [attempt, retry(1)];
  const { rows } = buildPairRows(findPairs("r3l", all), all);
  expect(rows.map(({ ids, mask, rank }) => [[...ids], [...mask], rank])).toEqual([
    [[1, 10, 2, 21, 4, 22], [0, 0, 0, 1, 0, 1], 1],
    [[1, 10, 2, 11, 3, 12], [0, 0, 0, 1, 0, 1], 0],
  ]);
  // What was said with the advice in mind has no likelihood without it.
  expect(rows[0]?.oldLogprobs).toBeUndefined();
  expect(() => buildPairRows(findPairs("r3l", all), all, { reference: "logged" })).toThrow("no log-probabilities");
});
