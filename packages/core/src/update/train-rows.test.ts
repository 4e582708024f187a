import { expect, test } from "vitest";
import { batchFromTrajectories } from "../credit/from-trajectories.ts";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { trainRows } from "./train-rows.ts";

const step = (index: number, start: number, end: number): Step => ({
  index,
  observation: "",
  stateKey: `s${index}`,
  action: "a",
  valid: true,
  reward: { kind: "scored", value: 0 },
  span: { stream: 0, start, end },
});

/** Reads 10 11, says 12 13, reads 14, says 15. */
const root: Trajectory = {
  id: "root",
  task: { id: "t", env: "e", seed: 0, goal: "", split: "train" },
  group: "g",
  steps: [step(0, 2, 4), step(1, 5, 6)],
  streams: [
    {
      ids: Int32Array.of(10, 11, 12, 13, 14, 15),
      mask: Uint8Array.of(0, 0, 1, 1, 0, 1),
      logprobs: Float32Array.of(0, 0, -1, -2, 0, -0.5),
    },
  ],
  ending: "terminated",
  reward: { kind: "scored", value: 1 },
  success: true,
  rewards: [],
  policy: { name: "p" },
};

/** Leaves before step 1 and says 16 17 instead. */
const branch: Trajectory = {
  ...root,
  id: "branch",
  parent: { trajectory: "root", step: 1 },
  steps: [step(1, 0, 2)],
  streams: [{ ids: Int32Array.of(16, 17), mask: Uint8Array.of(1, 1), logprobs: Float32Array.of(-0.25, -0.75) }],
  info: { sharedTokens: 5 },
};

const forest = [root, branch];
const batch = batchFromTrajectories(forest);
const advantages = [Float64Array.of(0.1, 0.2), Float64Array.of(0.3), Float64Array.of(-0.4, -0.5)];

test("advantages stand at their tokens; a branch brings its parents' tokens, which it does not train on", () => {
  const [whole, other] = trainRows(forest, batch, { advantages, dropped: [] });
  expect(whole).toMatchObject({
    ids: Int32Array.of(10, 11, 12, 13, 14, 15),
    mask: Uint8Array.of(0, 0, 1, 1, 0, 1),
    advantages: Float64Array.of(0, 0, 0.1, 0.2, 0, 0.3),
    oldLogprobs: Float64Array.of(0, 0, -1, -2, 0, -0.5),
    group: "g",
    trajectory: "root",
  });
  expect(other).toMatchObject({
    ids: Int32Array.of(10, 11, 12, 13, 14, 16, 17),
    mask: Uint8Array.of(0, 0, 0, 0, 0, 1, 1),
    advantages: Float64Array.of(0, 0, 0, 0, 0, -0.4, -0.5),
    oldLogprobs: Float64Array.of(0, 0, 0, 0, 0, -0.25, -0.75),
  });
});

test("a dropped row is not trained on", () => {
  const rows = trainRows(forest, batch, { advantages, dropped: [0, 2] });
  expect(rows).toHaveLength(1);
  expect(rows[0]?.mask).toEqual(Uint8Array.of(0, 0, 0, 0, 0, 1));
});

test("clip ranges of a method go to the tokens of its rows", () => {
  const [whole, other] = trainRows(forest, batch, { advantages, dropped: [], clipScales: Float64Array.of(0.5, 1, 2) });
  expect(whole?.clipScales).toEqual(Float64Array.of(1, 1, 0.5, 0.5, 1, 1));
  expect(other?.clipScales).toEqual(Float64Array.of(1, 1, 1, 1, 1, 2, 2));
});

test("a teacher's words and distributions go where the response stands", () => {
  // A vocabulary of two; the step teacher of root's step 1 and the episode teacher of the branch.
  const opinions = new Map([
    [
      "root",
      new Map([
        [1, { episode: Float64Array.of(-9), step: Float64Array.of(-0.1), distribution: Float32Array.of(-1, -2) }],
      ]),
    ],
    ["branch", new Map([[1, { episode: Float64Array.of(-3, -4), distribution: Float32Array.of(-1, -2, -3, -4) }]])],
  ]);
  const wide = { opinions, distribution: { vocabularySize: 2, candidates: null } };
  const [whole, other] = trainRows(forest, batch, { advantages, dropped: [] }, wide);
  expect(whole?.teacherLogprobs).toEqual(Float64Array.of(0, 0, 0, 0, 0, -0.1));
  expect(whole?.teacherMask).toEqual(Uint8Array.of(0, 0, 0, 0, 0, 1));
  expect([...(whole?.teacher ?? [])].slice(10)).toEqual([-1, -2]);
  expect(other?.teacherMask).toEqual(Uint8Array.of(0, 0, 0, 0, 0, 1, 1));
  expect([...(other?.teacher ?? [])].slice(10)).toEqual([-1, -2, -3, -4]);
  const top = { opinions, distribution: { vocabularySize: 2, candidates: 1 } };
  const [, chosen] = trainRows(forest, batch, { advantages, dropped: [] }, top);
  expect(chosen?.candidates?.ids.subarray(5)).toEqual(Int32Array.of(0, 0));
  expect(chosen?.teacherCandidates?.subarray(5)).toEqual(Float32Array.of(-1, -3));
});

test("tokens at which nothing else was allowed are not trained on", () => {
  // One id at the first token of the first answer, two at its second; the second answer was free.
  const allowed = { offsets: Int32Array.of(0, 0, 0, 1, 3, 3, 3), ids: Int32Array.of(12, 13, 14) };
  const [stream] = root.streams;
  const confined = { ...root, streams: [{ ...(stream as NonNullable<typeof stream>), allowed }] };
  const batch = batchFromTrajectories([confined]);
  const advantages = batch.rows.map(({ mask }) => new Float64Array(mask.length).fill(1));
  const [row] = trainRows([confined], batch, { advantages, dropped: [] });
  expect([...(row?.mask ?? [])]).toEqual([0, 0, 0, 1, 0, 1]);
});
