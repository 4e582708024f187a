import { expect, test } from "vitest";
import { createForest } from "./forest.ts";
import { sharedTokens } from "./shared-tokens.ts";
import type { Step, TokenStream, Trajectory } from "./trajectory.ts";

const stream = (ids: readonly number[]): TokenStream => ({
  ids: Int32Array.from(ids),
  mask: new Uint8Array(ids.length),
});
const step = (index: number, span: Step["span"]): Step => ({
  index,
  observation: "",
  stateKey: "",
  action: "",
  valid: true,
  reward: { kind: "scored", value: 0 },
  ...(span === undefined ? {} : { span }),
});
const trajectory = (id: string, rest: Partial<Trajectory>): Trajectory => ({
  id,
  task: { id: "t", env: "e", seed: 0, goal: "", split: "train" },
  group: "g",
  steps: [],
  streams: [],
  ending: "terminated",
  reward: { kind: "scored", value: 0 },
  success: null,
  rewards: [],
  policy: { name: "p" },
  ...rest,
});

// The root says tokens 3 at step 0 and 6 7 at step 1. The child leaves inside step 1 after token 6, the grandchild
// leaves the child at its step 2.
const root = trajectory("root", {
  steps: [step(0, { stream: 0, start: 2, end: 3 }), step(1, { stream: 0, start: 5, end: 7 })],
  streams: [stream([1, 2, 3, 4, 5, 6, 7])],
});
const child = trajectory("child", {
  parent: { trajectory: "root", step: 1, token: 1 },
  steps: [step(1, { stream: 0, start: 0, end: 1 }), step(2, { stream: 0, start: 2, end: 3 })],
  streams: [stream([8, 9, 10])],
  info: { sharedTokens: 6 },
});
const grandchild = trajectory("grandchild", {
  parent: { trajectory: "child", step: 2 },
  streams: [stream([11])],
  info: { sharedTokens: 8 },
});
const forest = createForest([root, child, grandchild]);

test("a branch shares what its ancestors had read and said up to its point", () => {
  expect([...sharedTokens(forest, root)]).toEqual([]);
  expect([...sharedTokens(forest, child)]).toEqual([1, 2, 3, 4, 5, 6]);
  expect([...sharedTokens(forest, grandchild)]).toEqual([1, 2, 3, 4, 5, 6, 8, 9]);
});

test("a branch with a context of its own, or without its parent at hand, shares nothing", () => {
  expect(sharedTokens(forest, { ...child, info: { sharedTokens: 0 } })).toHaveLength(0);
  expect(sharedTokens(createForest([child]), child)).toHaveLength(0);
});
