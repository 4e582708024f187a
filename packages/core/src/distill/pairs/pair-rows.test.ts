import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { dpoLoss } from "../../../../../test/support/dpo-loss.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { createTabularPolicy } from "limbeck-policy/policy/tabular/tabular-policy";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { contextOf } from "./answers.ts";
import { buildPairRows } from "./pair-rows.ts";
import { pairOf } from "./pair.ts";

/** Token 0 is what is read, 1 and 2 are actions, 3 ends an answer. */
const table = (one: number, two: number) =>
  createTabularPolicy({
    probabilities: [
      [0, one, two, 1 - one - two],
      [0, 0, 0, 1],
      [0, 0, 0, 1],
      [1, 0, 0, 0],
    ],
    endTokens: [3],
  });

/** Reads 0, says an action and its end, twice. */
const episode = (id: string, first: number, second: number): Trajectory => {
  const ids = [0, first, 3, 0, second, 3];
  return sampleTrajectory(id, {
    steps: [0, 1].map((index) => sampleStep(index, { span: { stream: 0, start: 3 * index + 1, end: 3 * index + 3 } })),
    streams: [
      {
        ids: Int32Array.from(ids),
        mask: Uint8Array.from([0, 1, 1, 0, 1, 1]),
        logprobs: Float32Array.from([0, -1, 0, 0, -2, 0]),
      },
    ],
  });
};

/** A branch that replaces the second step. */
const branch = (id: string, parent: string, action: number): Trajectory =>
  sampleTrajectory(id, {
    parent: { trajectory: parent, step: 1 },
    steps: [sampleStep(1, { span: { stream: 0, start: 0, end: 2 } })],
    streams: [
      { ids: Int32Array.from([action, 3]), mask: Uint8Array.from([1, 1]), logprobs: Float32Array.from([-3, 0]) },
    ],
    info: { sharedTokens: 4 },
  });

const [root, other] = [episode("root", 1, 2), branch("other", "root", 1)];
const step = pairOf("task-1", { trajectory: "other", steps: [1] }, { trajectory: "root", steps: [1] }, 1);

test("a pair of steps shares every token before the step, and only the step is trained", () => {
  const { rows } = buildPairRows([step], [root, other]);
  expect(rows.map(({ ids, mask, rank, pair }) => [[...ids], [...mask], rank, pair])).toEqual([
    [[0, 1, 3, 0, 1, 3], [0, 0, 0, 0, 1, 1], 1, step.id],
    [[0, 1, 3, 0, 2, 3], [0, 0, 0, 0, 1, 1], 0, step.id],
  ]);
});

test("steps: the loss from probabilities that are known", async () => {
  // Reference: 0.5 and 0.25 for the actions; now: 0.6 and 0.2; the ends are certain in both.
  // ln(0.6 / 0.5) = 0.182322, ln(0.2 / 0.25) = -0.223144. m = 0.1 * 0.405465 = 0.0405465; -ln sigmoid(m) = 0.673079.
  const { rows } = buildPairRows([step], [root, other]);
  const { loss, slopes } = await dpoLoss(rows, { live: table(0.6, 0.2), reference: table(0.5, 0.25) });
  expect(loss).toBeCloseTo(0.673079, 6);
  // 0.1 * (sigmoid(m) - 1) = 0.1 * -0.489865, at the two tokens of the step and nowhere else.
  expect(slopes[0]?.map((value) => Number(value.toFixed(6)))).toEqual([0, 0, 0, 0, -0.048986, -0.048986]);
  expect(slopes[1]?.map((value) => Number(value.toFixed(6)))).toEqual([0, 0, 0, 0, 0.048986, 0.048986]);
});

test("trajectories: log-ratios of all steps add up", async () => {
  // Chosen 1, 1: 2 * 0.182322. Rejected 2, 2: 2 * -0.223144. m = 0.1 * 0.810930; -ln sigmoid = 0.653422.
  const all = [episode("a", 1, 1), episode("b", 2, 2)];
  const pair = pairOf("task-1", { trajectory: "a", steps: [0, 1] }, { trajectory: "b", steps: [0, 1] }, 1);
  const { loss } = await dpoLoss(buildPairRows([pair], all).rows, {
    live: table(0.6, 0.2),
    reference: table(0.5, 0.25),
  });
  expect(loss).toBeCloseTo(0.653422, 6);
});

test("logged likelihoods may take the place of the reference, where the policy itself has said it", () => {
  const { rows } = buildPairRows([step], [root, other], { reference: "logged" });
  // Chosen: the branch's own -3, after its parent's tokens, which it has not said.
  expect(rows.map(({ referenceLogprobs }) => [...(referenceLogprobs ?? [])])).toEqual([
    [0, 0, 0, 0, -3, 0],
    [0, -1, 0, 0, -2, 0],
  ]);
  const imposed = { ...other, streams: other.streams.map((one) => ({ ...one, mask: new Uint8Array(2) })) };
  expect(() => buildPairRows([step], [root, imposed], { reference: "logged" })).toThrow(
    '"other" has no log-probabilities',
  );
});

test("what is too long or has no tokens is left out with its pair, and a missing trajectory is named", () => {
  expect(buildPairRows([step], [root, other], { maxTokens: 5 })).toEqual({ rows: [], lost: 1 });
  const bare = { ...root, streams: [], steps: root.steps.map(({ span: _span, ...one }) => one) };
  const alone = pairOf("task-1", { trajectory: "a", steps: [0] }, { trajectory: "root", steps: [0] }, 1);
  expect(buildPairRows([alone], [bare, episode("a", 1, 1)])).toEqual({ rows: [] as TrainRow[], lost: 1 });
  expect(() => buildPairRows([step], [root])).toThrow('No trajectory "other"');
  expect(contextOf(new Map([["root", bare]]), bare, 0)).toBeUndefined();
});
