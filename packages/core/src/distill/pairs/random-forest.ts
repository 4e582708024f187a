/** Random forests for the contract suite: groups that meet again, branches, retries with advice, scores that are missing. */
import { createRng, pick, type Rng } from "limbeck-base/base/rng";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface ForestShape {
  readonly seed: number;
  readonly tasks: number;
  /** Episodes of a task, branches not counted. */
  readonly episodes: number;
  readonly steps: number;
}

const ACTIONS = ["left", "right", "wait"] as const;

/** Tokens of a step: two to read, two to say, which depend on what was seen and done. */
const READ = 2;
const SAID = 2;

export function randomForest({ seed, tasks, episodes, steps }: ForestShape): Trajectory[] {
  const rng = createRng(seed);
  return Array.from({ length: tasks }, (_, task) =>
    Array.from({ length: episodes }, (_unused, at) => {
      const own = rng.split(`${task} ${at}`);
      const root = walk(`t${task}/${at}`, `t${task}`, own, { before: [], length: 1 + own.int(steps) });
      const step = own.int(root.steps.length);
      const before = root.steps.slice(0, step);
      const length = 1 + own.int(steps);
      const guidance = own.float() < 0.3 ? { guidance: "think again" } : {};
      const branch = walk(`${root.id}.b`, `t${task}`, own.split("branch"), { before, length, ...guidance });
      const parent = { trajectory: root.id, step };
      return own.float() < 0.7 ? [root, { ...branch, parent }] : [root];
    }),
  ).flat(2);
}

interface WalkPlan {
  readonly before: readonly Step[];
  readonly length: number;
  readonly guidance?: string;
}

/** The world is a counter of what was done: the same actions lead to the same sight. */
function walk(id: string, task: string, rng: Rng, { before, length, guidance }: WalkPlan): Trajectory {
  const ids: number[] = [];
  const mask: number[] = [];
  const path = before.map(({ action }) => action);
  const own = Array.from({ length }, (_, at): Step => {
    const seen = `${task} ${path.join(" ")}`;
    const action = pick(ACTIONS, rng) as string;
    const prompt = at === 0 && guidance !== undefined ? { prompt: `${seen}\n${guidance}`, basePrompt: seen } : {};
    // A branch without advice goes on right before the answer, one with advice reads the message anew.
    if (at > 0 || before.length === 0 || guidance !== undefined) {
      ids.push(...Array.from({ length: READ }, (_unused, place) => 1_000 + path.length * 10 + place));
      mask.push(...Array.from({ length: READ }, () => 0));
    }
    const start = ids.length;
    ids.push(...Array.from({ length: SAID }, (_unused, place) => ACTIONS.indexOf(action as "left") * 10 + place));
    mask.push(...Array.from({ length: SAID }, () => 1));
    const index = path.length;
    path.push(action);
    const span = { stream: 0, start, end: ids.length };
    const reward = scored(rng.int(3) / 2);
    return { index, observation: seen, stateKey: seen, action, valid: rng.float() < 0.8, reward, span, ...prompt };
  });
  const known = rng.float() < 0.85;
  // Where the parent's answer began, or where its message did.
  const shared = before.length * (READ + SAID) + (guidance === undefined && before.length > 0 ? READ : 0);
  return {
    id,
    task: { id: task, env: "random", seed: 1, goal: "get there", split: "train" },
    group: task,
    steps: own,
    streams: [
      {
        ids: Int32Array.from(ids),
        mask: Uint8Array.from(mask),
        logprobs: Float32Array.from(mask, (on) => (on === 1 ? -0.5 : 0)),
      },
    ],
    ending: known ? "terminated" : "failed",
    reward: known ? scored(rng.int(3) / 2) : unscored("the world was lost"),
    success: known ? rng.float() < 0.5 : null,
    rewards: [],
    policy: { name: "random" },
    closing: { observation: `${task} ${path.join(" ")}` },
    info: {
      ...(guidance === undefined ? {} : { guidance }),
      ...(before.length === 0 && guidance === undefined ? {} : { sharedTokens: shared }),
    },
  };
}
