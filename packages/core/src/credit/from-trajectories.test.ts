import { expect, test } from "vitest";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { assignCredit } from "./assign.ts";
import { batchFromTrajectories } from "./from-trajectories.ts";
import { gigpo } from "./gigpo.ts";

const task = { id: "t", env: "e", seed: 1, goal: "g", split: "train" };

function step(index: number, stateKey: string, reward: number, span?: Step["span"]): Step {
  const base = { index, observation: stateKey, stateKey, action: "a", valid: true, reward: scored(reward) };
  return span === undefined ? base : { ...base, span };
}

function trajectory(
  id: string,
  reward: Trajectory["reward"],
  steps: readonly Step[],
  more: Partial<Trajectory> = {},
): Trajectory {
  const rest = {
    task,
    group: "g",
    streams: [],
    ending: "terminated",
    success: null,
    rewards: [],
    policy: { name: "p" },
  } as const;
  return { id, reward, steps, ...rest, ...more };
}

const stream = {
  ids: Int32Array.of(9, 1, 2, 9, 3),
  mask: Uint8Array.of(0, 1, 1, 0, 1),
  logprobs: Float32Array.of(0, -1, -2, 0, -0.5),
};

test("each step becomes a row with the tokens of its span", () => {
  const steps = [step(0, "s0", 0, { stream: 0, start: 1, end: 3 }), step(1, "s1", 1, { stream: 0, start: 4, end: 5 })];
  const { rows, leftOut } = batchFromTrajectories([
    trajectory("X", scored(1), steps, { streams: [stream], ending: "truncated" }),
  ]);
  expect(leftOut).toEqual([]);
  expect(rows[0]).toMatchObject({ task: "g", trajectory: "X", step: 0, state: "s0", reward: 0, truncated: false });
  expect([...rows[0]!.mask]).toEqual([1, 1]);
  expect([...rows[0]!.logprobs!.old!]).toEqual([-1, -2]);
  expect([...rows[1]!.logprobs!.old!, rows[1]!.truncated]).toEqual([-0.5, true]);
});

test("a step tells the length of its prompt and the tools it called", () => {
  const reply = {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "1", name: "search", arguments: { query: "mug" } },
      { id: "2", name: "search", arguments: "{query:" },
    ],
  } as const;
  const steps = [step(0, "s0", 0, { stream: 0, start: 1, end: 3 }), { ...step(1, "s1", 1), reply }];
  const { rows } = batchFromTrajectories([trajectory("X", scored(1), steps, { streams: [stream] })]);
  expect(rows[0]!.signals).toEqual({ promptTokens: 1 });
  // Arguments that were no JSON object count as not parsed.
  const calls = [
    { name: "search", arguments: { query: "mug" } },
    { name: "search", arguments: null },
  ];
  expect(rows[1]!.signals).toEqual({ calls });
});

test("what nobody scored is left out, and its branches with it", () => {
  const batch = batchFromTrajectories([
    trajectory("X", scored(1), [step(0, "s", 1)]),
    trajectory("B", scored(1), [step(0, "s", 1)], { parent: { trajectory: "U", step: 0 } }),
    trajectory("U", unscored("the judge failed"), [step(0, "s", 1)]),
  ]);
  expect(batch.rows.map((row) => row.trajectory)).toEqual(["X"]);
  expect(batch.leftOut).toEqual([
    { trajectory: "U", why: "the judge failed" },
    { trajectory: "B", why: 'its parent "U" was left out' },
  ]);
});

test("a method runs on it, and refuses a step that nobody scored by name", () => {
  const good = [trajectory("X", scored(1), [step(0, "s", 1)]), trajectory("Y", scored(0), [step(0, "s", 0)])];
  // Episode 0.5 and step 0.5; no tokens, so no advantages, but terms.
  expect([...assignCredit(gigpo, batchFromTrajectories(good)).terms["step"]!.perRow!]).toEqual([0.5, -0.5]);
  const bad = [...good, trajectory("Z", scored(0), [{ ...step(0, "s", 0), reward: unscored("lost") }])];
  expect(() => assignCredit(gigpo, batchFromTrajectories(bad))).toThrow(
    /Row 2 \(trajectory "Z", step 0\) has no "reward"/,
  );
});

test("what a strategy leaves out gets no credit, and neither do its branches", () => {
  const kept = trajectory("kept", scored(1), [step(0, "s", 1)]);
  const left = trajectory("left", scored(0), [step(0, "s", 0)], { info: { leftOut: "another took its place" } });
  const branch = trajectory("branch", scored(1), [step(1, "u", 1)], { parent: { trajectory: "left", step: 1 } });
  const batch = batchFromTrajectories([kept, left, branch]);
  expect(batch.rows.map((row) => row.trajectory)).toEqual(["kept"]);
  expect(batch.leftOut).toEqual([
    { trajectory: "left", why: "another took its place" },
    { trajectory: "branch", why: 'its parent "left" was left out' },
  ]);
});
