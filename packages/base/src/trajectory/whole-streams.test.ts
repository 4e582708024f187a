import { expect, test } from "vitest";
import { createForest } from "./forest.ts";
import { scored } from "./score.ts";
import type { Step, TokenStream, Trajectory } from "./trajectory.ts";
import { sharedContext, wholeStreams } from "./whole-streams.ts";

const step = (index: number, start: number, end: number, stream = 0): Step => ({
  index,
  observation: "",
  stateKey: "",
  action: "",
  valid: true,
  reward: scored(0),
  span: { stream, start, end },
});

const stream = (ids: number[], mask: number[]): TokenStream => ({
  ids: Int32Array.from(ids),
  mask: Uint8Array.from(mask),
  logprobs: Float32Array.from(mask, (on) => -on),
});

const trajectory = (id: string, more: Partial<Trajectory>): Trajectory => ({
  id,
  task: { id: "t", env: "e", seed: 0, goal: "", split: "train" },
  group: "t",
  steps: [],
  streams: [],
  ending: "terminated",
  reward: scored(0),
  success: null,
  rewards: [],
  policy: { name: "p" },
  ...more,
});

// Reads 10 11, says 12 13, reads 14, says 15 16 17.
const root = trajectory("root", {
  steps: [step(0, 2, 4), step(1, 5, 8)],
  streams: [stream([10, 11, 12, 13, 14, 15, 16, 17], [0, 0, 1, 1, 0, 1, 1, 1])],
});
// Leaves inside the second answer after its first token, 15; says 20, reads 21, says 22 23.
const branch = trajectory("branch", {
  parent: { trajectory: "root", step: 1, token: 1 },
  steps: [step(1, 0, 1), step(2, 2, 4)],
  streams: [stream([20, 21, 22, 23], [1, 0, 1, 1])],
});
// Leaves the branch at its second own step: 22 23 are replaced by 30.
const twig = trajectory("twig", {
  parent: { trajectory: "branch", step: 2 },
  steps: [step(2, 0, 1)],
  streams: [stream([30], [1])],
});

test("a branch of a branch has the tokens of both before its own, with mask 0", () => {
  const forest = createForest([root, branch, twig]);
  const [whole] = wholeStreams(forest, twig);
  expect([...(whole?.ids ?? [])]).toEqual([10, 11, 12, 13, 14, 15, 20, 21, 30]);
  expect([...(whole?.mask ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect([...(whole?.logprobs ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, -1]);
  expect(wholeStreams(forest, root)).toEqual(root.streams);
});

test("shared tokens that are counted outright win: a message that was written anew leaves earlier", () => {
  // Guidance at the second step: it shares 10 11 12 13, then reads a message of its own.
  const guided = trajectory("guided", {
    parent: { trajectory: "root", step: 1 },
    info: { sharedTokens: 4 },
    steps: [step(1, 2, 3)],
    streams: [stream([40, 41, 42], [0, 0, 1])],
  });
  expect([...sharedContext(createForest([root, guided]), guided)]).toEqual([10, 11, 12, 13]);
});

test("a missing parent and a count beyond its context are errors that name both", () => {
  expect(() => sharedContext(createForest([branch]), branch)).toThrow('No trajectory "root", the parent of "branch"');
  const far = trajectory("far", { parent: { trajectory: "root", step: 1 }, info: { sharedTokens: 9 } });
  expect(() => sharedContext(createForest([root, far]), far)).toThrow('shares 9 tokens with "root"');
});
