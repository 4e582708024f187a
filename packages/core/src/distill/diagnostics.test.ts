import { expect, test } from "vitest";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { diagnoseTeacher } from "./diagnostics.ts";
import type { Opinion, Rescored } from "./score-sequences.ts";

const step = (index: number, start: number, end: number): Step => ({
  index,
  observation: "",
  stateKey: "",
  action: "",
  valid: true,
  reward: { kind: "scored", value: 0 },
  span: { stream: 0, start, end },
});

/** Two steps of two tokens, all of log-probability -1. */
const episode = (id: string, success: boolean): Trajectory => ({
  id,
  task: { id: "t", env: "e", seed: 0, goal: "", split: "train" },
  group: "g",
  steps: [step(0, 0, 2), step(1, 2, 4)],
  streams: [{ ids: new Int32Array(4), mask: new Uint8Array(4).fill(1), logprobs: new Float32Array(4).fill(-1) }],
  ending: "terminated",
  reward: { kind: "scored", value: Number(success) },
  success,
  rewards: [],
  policy: { name: "p" },
});

const rescored = (opinions: readonly (readonly [string, readonly (readonly [number, Opinion])[]])[]): Rescored => ({
  opinions: new Map(opinions.map(([id, steps]) => [id, new Map(steps)])),
  lost: [{ trajectory: "f", step: 1, teacher: "episode", reason: "too-long" }],
  sequences: 0,
  tokens: 0,
  tokensSaved: 0,
});

test("shifts by outcome, the step's own teacher first", () => {
  // Success: step 0 has both, the step teacher counts: -0.5 + 1 = 0.5, -1.5 + 1 = -0.5. Failure: 0 + 1 = 1 twice.
  const { success, failure, all, active, lost } = diagnoseTeacher(
    [episode("s", true), episode("f", false)],
    rescored([
      ["s", [[0, { episode: Float64Array.of(-9, -9), step: Float64Array.of(-0.5, -1.5) }]]],
      ["f", [[0, { episode: Float64Array.of(0, 0) }]]],
    ]),
  );
  expect(success).toEqual({ tokens: 2, mean: 0, deviation: 0.5, positive: 0.5 });
  expect(failure).toEqual({ tokens: 2, mean: 1, deviation: 0, positive: 1 });
  // (0.5 - 0.5 + 1 + 1) / 4 = 0.5; 4 of 8 sampled tokens have a teacher.
  expect([all.mean, all.positive, active, lost]).toEqual([0.5, 0.75, 0.5, 1]);
});

test("without any opinion there is nothing to say", () => {
  const { all, active } = diagnoseTeacher([episode("s", true)], rescored([]));
  expect([all.tokens, all.mean, all.positive, active]).toEqual([0, Number.NaN, Number.NaN, 0]);
});
