import { describe, expect, test } from "vitest";
import { createCheckGround } from "limbeck-core/walk/check-ground";
import { createStrategy } from "limbeck-core/rollout/registry";
import { rollOut } from "limbeck-core/walk/line/roll-out";
import { createForest, episodeSteps, validateForest } from "./forest.ts";
import { wholeEpisode } from "./whole-episode.ts";
import { wholeStreams } from "./whole-streams.ts";
import { scored, unscored } from "./score.ts";
import type { Step, Task, TokenStream, Trajectory } from "./trajectory.ts";

const task: Task = { id: "t", env: "e", seed: 0, goal: "g", split: "train" };
const step = (index: number, span: Step["span"]): Step => ({
  index,
  observation: "o",
  stateKey: `s${index}`,
  action: "a",
  valid: true,
  reward: unscored("none"),
  ...(span === undefined ? {} : { span }),
});
const stream = (ids: number[], mask: number[]): TokenStream => ({
  ids: Int32Array.from(ids),
  mask: Uint8Array.from(mask),
  logprobs: Float32Array.from(ids, (id, at) => (mask[at] === 1 ? -id / 8 : 0)),
});
const trajectory = (id: string, more: Partial<Trajectory>): Trajectory => ({
  id,
  task,
  group: "t",
  steps: [],
  streams: [],
  ending: "terminated",
  reward: scored(1),
  success: true,
  rewards: [],
  policy: { name: "p" },
  ...more,
});

test("a branch inside an answer, as the episode it ends", () => {
  // The parent reads 1 2, says 3 4 5, reads 6, says 7 8. The branch leaves after one token of its second answer.
  const parent = trajectory("p", {
    steps: [step(0, { stream: 0, start: 2, end: 5 }), step(1, { stream: 0, start: 6, end: 8 })],
    streams: [stream([1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 1, 1, 0, 1, 1])],
  });
  // It says 9, so that its answer is 7 9, then reads 10 and says 11.
  const branch = trajectory("b", {
    parent: { trajectory: "p", step: 1, token: 1 },
    steps: [step(1, { stream: 0, start: 0, end: 1 }), step(2, { stream: 0, start: 2, end: 3 })],
    streams: [stream([9, 10, 11], [1, 0, 1])],
    info: { sharedTokens: 7 },
  });
  const whole = wholeEpisode(createForest([parent, branch]), "b");
  expect(whole.parent).toBeUndefined();
  expect(whole.steps.map(({ index, span }) => [index, span?.start, span?.end])).toEqual([
    [0, 2, 5],
    [1, 6, 8],
    [2, 9, 10],
  ]);
  expect([...(whole.streams[0]?.ids ?? [])]).toEqual([1, 2, 3, 4, 5, 6, 7, 9, 10, 11]);
  expect([...(whole.streams[0]?.mask ?? [])]).toEqual([0, 0, 1, 1, 1, 0, 1, 1, 0, 1]);
  expect([...(whole.streams[0]?.logprobs ?? [])]).toEqual([0, 0, -3, -4, -5, 0, -7, -9, 0, -11].map((id) => id / 8));
  expect(validateForest([whole])).toEqual([]);
});

describe.each(["tree", "treepo", "latr", "retry"])("the lines of %s", (name) => {
  test("are whole: the steps of the forest, in contexts that hold all that was read and said", async () => {
    const { env, agent } = createCheckGround();
    const tasks = [...(env.tasks("train", { count: 2 }) as Iterable<Task>)];
    const { trajectories } = await rollOut({
      env,
      agent,
      tasks,
      strategy: createStrategy(name),
      seed: 3,
      reflector: ({ steps }) => Promise.resolve({ step: Math.floor(steps.length / 2), guidance: "go east" }),
    });
    const forest = createForest(trajectories);
    expect(trajectories.some(({ parent }) => parent !== undefined)).toBe(true);
    for (const one of trajectories) {
      const whole = wholeEpisode(forest, one.id);
      expect(validateForest([whole])).toEqual([]);
      const bare = (steps: readonly Step[]): unknown[] => steps.map(({ span: _span, ...rest }) => rest);
      expect(bare(whole.steps)).toEqual(bare(episodeSteps(forest, one.id)));
      expect([...(whole.streams.at(-1)?.ids ?? [])]).toEqual([...(wholeStreams(forest, one).at(-1)?.ids ?? [])]);
      // Every token that anybody on the line sampled is in one of its steps.
      const covered = whole.streams.map(({ ids }) => new Uint8Array(ids.length));
      for (const { span } of whole.steps) if (span !== undefined) covered[span.stream]?.fill(1, span.start, span.end);
      whole.streams.forEach(({ mask }, at) => {
        expect(mask.every((on, token) => on === 0 || covered[at]?.[token] === 1)).toBe(true);
      });
    }
  });
});
