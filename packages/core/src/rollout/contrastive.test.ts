import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { contrastive, contrastiveSubset } from "./contrastive.ts";
import { createStrategy } from "./registry.ts";
import { published } from "../../../../test/support/published.ts";

test("the highest and the lowest returns are kept, of equals the earlier seed", () => {
  // Highest: 3 (0.9), then 0 and 4 at 0.5, of which 0 is earlier. Lowest: 1 and 5 at 0, of which 1 is earlier, then 5.
  const values = [0.5, 0, 0.4, 0.9, 0.5, 0];
  expect(contrastiveSubset(values, { best: 2, worst: 1 })).toEqual([0, 1, 3]);
  expect(contrastiveSubset(values, { best: 1, worst: 2 })).toEqual([1, 3, 5]);
  // More are asked for than there are: each is played once.
  expect(contrastiveSubset([1, 0], { best: 2, worst: 2 })).toEqual([0, 1]);
  // Without a score nobody is compared; without contrast two keep the group.
  expect(contrastiveSubset([undefined, 1, undefined, 0], { best: 1, worst: 1 })).toEqual([1, 3]);
  expect(contrastiveSubset([1, 1, 1, 1], { best: 2, worst: 2 })).toEqual([0, 1]);
  expect(contrastiveSubset([undefined, undefined, undefined], { best: 2, worst: 2 })).toEqual([0, 1]);
});

/** Numbers of published code: which of so many rewards it plays again, half of them the best. */
interface Kept {
  readonly rewards: readonly number[];
  readonly count: number;
  readonly kept: readonly number[];
}

test.each(published<Kept>("contrastive").cases)("keeps what published code keeps: %j", ({ rewards, count, kept }) => {
  const best = Math.floor(count / 2);
  expect(contrastiveSubset(rewards, { best, worst: count - best })).toEqual(kept);
});

test("where the copy speaks as the policy does, the kept seeds are those of the whole group, token for token", async () => {
  const { env, agent } = createCheckGround();
  const tasks = [...(env.tasks("train", { count: 3 }) as Iterable<Task>)];
  const request = { env, agent, tasks, seed: 5 };
  const all = await rollOut({ ...request, strategy: createStrategy("group", { size: 6 }) });
  const kept = await rollOut({ ...request, strategy: createStrategy("contrastive", { size: 6, best: 1, worst: 1 }) });
  const known = new Map(all.trajectories.map((one) => [one.id, one]));
  for (const { id, streams, reward, info } of kept.trajectories) {
    expect(streams).toEqual(known.get(id)?.streams);
    expect(info?.["contrastive"]).toMatchObject({ explored: reward.kind === "scored" ? reward.value : null });
  }
  for (const { id: task } of tasks) {
    const values = (from: typeof all): number[] =>
      from.trajectories.flatMap(({ group, reward }) =>
        group === task && reward.kind === "scored" ? [reward.value] : [],
      );
    expect(Math.max(...values(kept))).toBe(Math.max(...values(all)));
    expect(Math.min(...values(kept))).toBe(Math.min(...values(all)));
  }
  expect(contrastive.effect?.further?.(kept.trajectories)["replayedAlike"]).toBe(1);
});

test("a policy that cannot be copied is refused before any work", async () => {
  const { env, agent } = createCheckGround();
  const { ref, exact, answerTokens } = agent;
  const plain: Agent = { ref, exact, answerTokens, begin: (task, seed) => agent.begin(task, seed) };
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const rolling = rollOut({ env, agent: plain, tasks, seed: 1, strategy: createStrategy("contrastive") });
  await expect(rolling).rejects.toThrow(/fewer bits/);
});
