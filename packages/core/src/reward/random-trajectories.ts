/** Random batches for the contract suite: groups, branches, calls, tokens, scores that are missing, endings of every kind. */
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Ending, Score, Step, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface TrajectoriesShape {
  readonly seed: number;
  readonly tasks: number;
  /** Trajectories of each task, branches not counted. */
  readonly trajectories: number;
  /** Most steps of one. */
  readonly steps: number;
}

const TOKENS = 3;
const ENDINGS: readonly Ending[] = ["terminated", "truncated", "failed"];
const ACTIONS: readonly string[] = [
  "look",
  "go north",
  '{"name": "search", "arguments": {"query": "still", "k": 2}}',
  '{"name": "open", "arguments": {"page": 1}}',
  '{"name": "search", "arguments": "broken"}',
  '<obj>ball</obj><box>[0,0,4,3]</box>at<t>0</t>s <motion obj="ball" dir="SE" speed="fast" scale="stable"/>',
  "<think>hm</think><action>look</action>",
  '```json\n{"city": "Rome"}\n```',
  "",
];

export function randomTrajectories(shape: TrajectoriesShape): Trajectory[] {
  const rng = createRng(shape.seed);
  return Array.from({ length: shape.tasks }, (_, task) => group(`task-${task}`, shape, rng.split(task))).flat();
}

function group(task: string, shape: TrajectoriesShape, rng: Rng): Trajectory[] {
  return Array.from({ length: shape.trajectories }, (_, at) => {
    const own = rng.split(at);
    const root = trajectory(`${task}/${at}`, task, 0, own.int(shape.steps + 1), own);
    if (root.steps.length === 0 || own.float() < 0.6) return [root];
    const step = own.int(root.steps.length + 1);
    const branch = trajectory(`${task}/${at}/branch`, task, step, own.int(shape.steps + 1), own.split("branch"));
    return [root, { ...branch, parent: { trajectory: root.id, step } }];
  }).flat();
}

function trajectory(id: string, task: string, first: number, length: number, rng: Rng): Trajectory {
  const steps = Array.from({ length }, (_, at) => randomStep(first + at, at, rng));
  const ending = pick(ENDINGS, rng) as Ending;
  return {
    id,
    task: { id: task, env: "random", seed: 1, goal: "find the still", split: "train", data: taskData },
    group: task,
    steps,
    streams: [{ ids: new Int32Array(length * TOKENS), mask: new Uint8Array(length * TOKENS).fill(1) }],
    ending,
    reward: ending === "failed" ? unscored("the world was lost") : randomScore(rng),
    success: ending === "failed" ? null : rng.float() < 0.5,
    rewards: [
      { name: "progress", source: "test", score: randomScore(rng) },
      ...steps.map(({ index }) => ({ name: "progress", source: "test", score: randomScore(rng), step: index })),
    ],
    policy: { name: "random" },
    ...(rng.float() < 0.5 ? { closing: { observation: `see ${rng.int(4)}` } } : {}),
  };
}

const taskData = {
  goldCalls: [
    { name: "search", arguments: { query: "still", k: 2 } },
    { name: "open", arguments: { page: 1 } },
  ],
  goldAnswer: "the old word for a still",
  gold: { city: "Rome" },
  subgoals: ["see 1", "see 2"],
  tracks: {
    ball: [
      [0, 0, 4, 3],
      [30, 40, 34, 43],
    ],
  },
};

function randomStep(index: number, at: number, rng: Rng): Step {
  const state = rng.int(4);
  return {
    index,
    observation: `see ${state}`,
    stateKey: `s${state}`,
    action: pick(ACTIONS, rng) as string,
    valid: rng.float() < 0.8,
    reward: randomScore(rng),
    span: { stream: 0, start: at * TOKENS, end: (at + 1) * TOKENS },
    usage: { promptTokens: 10 + rng.int(10), cachedTokens: rng.int(10) },
  };
}

function randomScore(rng: Rng): Score {
  return rng.float() < 0.15 ? unscored("nobody looked") : scored(rng.int(5) / 4);
}
