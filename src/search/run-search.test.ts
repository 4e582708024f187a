import { expect, test } from "vitest";
import type { Task } from "../trajectory/index.ts";
import { validateForest, createForest, episodeSteps, wholeStreams } from "../trajectory/index.ts";
import { createCheckGround, type CheckGround } from "../rollout/check-ground.ts";
import { createSearch, runSearch, type SearchOptions, type SearchResult } from "./index.ts";

function taskOf({ env }: CheckGround): Task {
  return [...(env.tasks("train") as Iterable<Task>)][0] as Task;
}

async function searchOn(ground: CheckGround, options: Partial<SearchOptions> = {}): Promise<SearchResult> {
  const search = createSearch("best-of-n", { n: 6, stop: false });
  return await runSearch({ env: ground.env, agent: ground.agent, task: taskOf(ground), search, seed: 7, ...options });
}

test("six episodes from one root are a valid forest whose first line is the chosen one", async () => {
  const ground = createCheckGround();
  const result = await searchOn(ground);
  expect(validateForest(result.trajectories)).toEqual([]);
  expect(result.trajectories).toHaveLength(6);
  expect(result.success).toBe(true);
  const [first] = result.trajectories;
  expect(first?.steps.map(({ action }) => action)).toEqual(result.actions);
  expect(first?.success).toBe(true);
  const forest = createForest(result.trajectories);
  for (const trajectory of result.trajectories) {
    const episode = episodeSteps(forest, trajectory.id);
    expect(episode.map(({ index }) => index)).toEqual(episode.map((_, at) => at));
    // What the policy said stands where the step says it stands, also behind the shared opening.
    const [whole] = wholeStreams(forest, trajectory);
    const shared = trajectory.info?.["sharedTokens"] ?? 0;
    expect(whole?.ids.length).toBe(Number(shared) + (trajectory.streams[0]?.ids.length ?? 0));
    const said = trajectory.steps.flatMap(({ span }) => [
      ...(trajectory.streams[span?.stream ?? 0]?.mask.subarray(span?.start, span?.end) ?? []),
    ]);
    expect(said.every((mark) => mark === 1)).toBe(true);
    const marked = trajectory.streams.reduce((total, { mask }) => total + mask.reduce((sum, one) => sum + one, 0), 0);
    expect(marked).toBe(said.length);
  }
  expect(ground.counts).toMatchObject({ episodes: 0, conversations: 0 });
  expect(result.spent).toMatchObject({
    envSteps: ground.counts.envSteps,
    modelCalls: ground.counts.modelCalls,
    sampledTokens: ground.counts.sampledTokens,
  });
});

test("the same seed gives the same tree whatever the concurrency", async () => {
  const shapes = await Promise.all(
    [1, 3, 64].map(async (concurrency) => {
      const { trajectories } = await searchOn(createCheckGround({ jumbled: true }), { concurrency, date: () => "" });
      return trajectories.map(({ timing: _timing, steps, ...rest }) => ({
        ...rest,
        steps: steps.map(({ timing: __timing, ...step }) => step),
      }));
    }),
  );
  expect(shapes[1]).toStrictEqual(shapes[0]);
  expect(shapes[2]).toStrictEqual(shapes[0]);
});

test("replayed worlds give the same tree as copied ones", async () => {
  const copied = await searchOn(createCheckGround());
  const ground = createCheckGround();
  const replayed = await searchOn(ground, { worlds: "replay" });
  expect(replayed.trajectories.map(({ id, reward }) => ({ id, reward }))).toEqual(
    copied.trajectories.map(({ id, reward }) => ({ id, reward })),
  );
  expect(ground.counts.episodes).toBe(0);
});
