import { expect, test } from "vitest";
import { rollout } from "../../../limbeck/src/run/rollout.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { readScore } from "./read-scores.ts";
import { rewardTrajectories } from "./registry.ts";
import { giveRewards } from "./give-rewards.ts";
import { worldPart } from "./world-part.ts";

const task = { id: "t", env: "e", seed: 1, goal: "", split: "train" };

/** Steps whose world gave these parts; undefined: nothing at all. */
function played(...parts: (Record<string, number | string> | undefined)[]): Trajectory {
  return {
    id: "a",
    task,
    group: "g",
    steps: parts.map((own, index) => ({
      index,
      observation: "",
      stateKey: "",
      action: "",
      valid: true,
      reward: scored(0),
      ...(own === undefined ? {} : { info: { parts: own } }),
    })),
    streams: [],
    ending: "terminated",
    reward: scored(0),
    success: false,
    rewards: [],
    policy: { name: "p" },
  };
}

function scoresOf(trajectory: Trajectory, options: Record<string, unknown>): unknown[] {
  const [rewards = []] = giveRewards(worldPart, [trajectory], { options }).rewards;
  return rewards.map(({ score, step }) => [step, score.kind === "scored" ? score.value : score.why]);
}

test("the last, the mean, the sum, the best and the worst of a part, and each step's own", () => {
  const episode = played({ quality: 0.5 }, { quality: 1 }, { quality: 0.25 });
  // (0.5 + 1 + 0.25) / 3 = 0.58333…
  const wanted = { last: 0.25, mean: 1.75 / 3, sum: 1.75, max: 1, min: 0.25 };
  for (const [combine, value] of Object.entries(wanted)) {
    expect(scoresOf(episode, { combine })).toEqual([
      [undefined, value],
      [0, 0.5],
      [1, 1],
      [2, 0.25],
    ]);
  }
});

test("what the world did not say is no zero, and the reason names what it does say", () => {
  expect(scoresOf(played({ quality: 1 }, undefined, { quality: "high" }), { of: "quality" })).toEqual([
    [undefined, 1],
    [0, 1],
    [1, 'the world gave no "quality" at step 1'],
    [2, 'the world gave no "quality" at step 2'],
  ]);
  expect(scoresOf(played({ mood: 1, right: 0 }), { of: "moood" })[0]).toEqual([
    undefined,
    'the world gives no part "moood"; it gives mood, right',
  ]);
  expect(scoresOf(played(undefined), { of: "mood" })[0]).toEqual([
    undefined,
    'the world gives no part "mood"; it judges nothing apart',
  ]);
});

test("a plan weighs form before values, and values count only where the form holds", async () => {
  // parse 1, values 0.5: 0.5 * 1 + 1 * 0.5 = 1;   parse 0, values 0.5 (as if read): 0.5 * 0 + 1 * 0 = 0.
  const plan = {
    rewards: [
      { use: "world-part", as: "parse", options: { of: "parse" }, weight: { 1: 1, 3: 0 } },
      { use: "world-part", as: "values", options: { of: "values" }, weight: { 1: 0, 3: 2 }, when: "parse" },
    ],
  };
  const batch = [played({ parse: 1, values: 0.5 }), { ...played({ parse: 0, values: 0.5 }), id: "b" }];
  const at = async (update: number): Promise<unknown[]> =>
    (await rewardTrajectories(batch, plan, { update })).trajectories.map((one) => readScore(one, "components"));
  expect(await at(1)).toEqual([scored(1), scored(0)]);
  expect(await at(2)).toEqual([scored(0.5 * 1 + 1 * 0.5), scored(0)]);
  expect(await at(3)).toEqual([scored(1), scored(0)]);
});

test("episodes of the four graded worlds are scored by every part that they name", async () => {
  const { getWorld } = await import("limbeck-worlds/index");
  for (const env of ["draft", "emit", "ledger", "talk"]) {
    const { parts = {} } = await getWorld(env);
    const { trajectories } = await rollout({ env, policy: "random", tasks: 2, group: 2 });
    const rewards = Object.keys(parts).map((of) => ({ use: "world-part", as: of, options: { of } }));
    const rewarded = await rewardTrajectories(trajectories, { rewards });
    for (const trajectory of rewarded.trajectories) {
      for (const { name, score } of trajectory.rewards) expect([env, name, score.kind]).toEqual([env, name, "scored"]);
      const steps = trajectory.rewards.filter(({ step }) => step !== undefined);
      expect(steps).toHaveLength(trajectory.steps.length * Object.keys(parts).length);
    }
    expect(Object.keys(parts).length).toBeGreaterThan(2);
  }
});

test("a branch without its parent has no score", () => {
  const alone = { ...played({ quality: 1 }), parent: { trajectory: "gone", step: 1 } };
  expect(giveRewards(worldPart, [alone]).rewards[0]?.[0]?.score).toEqual(
    unscored('its parent "gone" is not in the batch'),
  );
});
