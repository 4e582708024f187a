import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward } from "limbeck-base/trajectory/trajectory";
import { getReward, rewardTrajectories, allRewards } from "./registry.ts";
import { giveRewards } from "./give-rewards.ts";
import { withRewards } from "./plan.ts";
import { defineReward, type Award, type RewardMethod } from "./reward.ts";

const own = (awards: readonly (readonly Award[])[]) =>
  defineReward({ ...allRewards.outcome, id: "own", needs: [], options: {}, score: () => ({ awards }) });

test("every registered reward goes by its id", () => {
  for (const [id, method] of Object.entries<RewardMethod>(allRewards)) expect(method.id).toBe(id);
  expect(() => getReward("outcom")).toThrow('No reward "outcom". Did you mean "outcome"?');
});

test("names, parts and sources; what is not finite is unscored", () => {
  const method = own([[{ score: scored(Number.NaN) }, { part: "x", score: scored(1), step: 1 }]]);
  expect(giveRewards(method, [sampleTrajectory("a")], { as: "mine" })).toEqual({
    rewards: [
      [
        { name: "mine", source: "reward:own", score: unscored("the score is NaN, which is not a finite number") },
        { name: "mine.x", source: "reward:own", score: scored(1), step: 1 },
      ],
    ],
    metrics: { trajectories: 1, unscored: 1 },
  });
});

test("a reward that breaks the contract is told so", () => {
  const batch = [sampleTrajectory("a")];
  expect(() => giveRewards(own([]), batch)).toThrow("gave 0 lists for 1 trajectories");
  expect(() => giveRewards(own([[{ score: scored(1), step: 7 }]]), batch)).toThrow('"a" has no step 7 of its own');
  const tokens = { start: 0, end: 1 };
  expect(() => giveRewards(own([[{ score: scored(1), step: 0, tokens }]]), batch)).toThrow(
    "no tokens 0 to 1 in step 0",
  );
  expect(() => giveRewards(own([[], []]), [...batch, ...batch])).toThrow('Two trajectories are named "a"');
});

test("wrong options are named, an empty batch is fine", () => {
  expect(() => giveRewards(allRewards.outcome, [], { options: { scale: "2" } })).toThrow(
    /scale of outcome is "2"; it takes a number/,
  );
  expect(() => giveRewards(allRewards.outcome, [], { options: { skale: 2 } })).toThrow('Did you mean "scale"?');
  expect(giveRewards(allRewards.outcome, [])).toEqual({ rewards: [], metrics: { trajectories: 0, unscored: 0 } });
});

test("applied: new trajectories, old ones untouched, the same reward replaced", () => {
  const old = sampleTrajectory("a", { steps: [sampleStep(0), sampleStep(1)], rewards: [named("judge", 1)] });
  const frozen = structuredClone(old);
  const given = [[named("total", 3), named("dense", 5, 0)]];
  const [fresh] = withRewards([old], given, { reward: "total", stepReward: "dense" });
  expect(fresh?.reward).toEqual(scored(3));
  expect(fresh?.steps.map(({ reward }) => reward)).toEqual([
    scored(5),
    unscored('there is no reward "dense" of this step'),
  ]);
  expect(fresh?.rewards.map(({ name }) => name)).toEqual(["judge", "total", "dense"]);
  expect(old).toEqual(frozen);
  expect(withRewards([fresh ?? old], given, { reward: "total", stepReward: "dense" })).toEqual([fresh]);
  expect(withRewards([old], given)[0]?.reward).toEqual(old.reward);
  expect(withRewards([old], given, { reward: "none" })[0]?.reward).toEqual(unscored('there is no reward "none"'));
  expect(() => withRewards([old], [])).toThrow("0 lists of rewards for 1 trajectories");
});

test("a plan: later rewards are made of earlier ones, references are kept by name", async () => {
  const batch = [
    sampleTrajectory("a", { reward: scored(10) }),
    sampleTrajectory("b", { reward: scored(0), success: false }),
  ];
  const verify = (trajectory: { readonly id: string }) => (trajectory.id === "a" ? 0.5 : Number.NaN);
  const plan = {
    rewards: [
      { use: "outcome", options: { scale: 0.1 } },
      { use: "verifier", as: "tests", givens: { verify } },
      { use: "trace" },
      { use: "components", as: "total", options: { weights: { outcome: 1, tests: 2 }, unscored: "leave-out" } },
    ],
    reward: "total",
  };
  const { trajectories, metrics, references } = await rewardTrajectories(batch, plan);
  // 0.1 * 10 + 2 * 0.5 = 2; the second has no score of the tests and keeps its 0.
  expect(trajectories.map(({ reward }) => reward)).toEqual([scored(2), scored(0)]);
  expect(metrics["tests"]).toEqual({ trajectories: 2, unscored: 1 });
  expect(references["trace"]?.get("task-1")).toBe(3);
  const next = await rewardTrajectories(batch, plan, { referencesOf: { trace: new Map([["task-1", 2]]) } });
  expect(next.references["trace"]?.get("task-1")).toBe(2);
  await expect(rewardTrajectories(batch, { rewards: [{ use: "trase" }] })).rejects.toThrow('Did you mean "trace"?');
});

test("slips in a plan are refused: a name twice, a total that nobody gives", async () => {
  const batch = [sampleTrajectory("a")];
  const twice = { rewards: [{ use: "outcome" }, { use: "trace", as: "outcome" }] };
  await expect(rewardTrajectories(batch, twice)).rejects.toThrow('Two rewards of the plan are named "outcome"');
  const slip = { rewards: [{ use: "outcome" }], reward: "outcom" };
  await expect(rewardTrajectories(batch, slip)).rejects.toThrow(
    'No reward of the plan "outcom". Did you mean "outcome"?',
  );
  await expect(rewardTrajectories(batch, { ...slip, reward: "outcome", stepReward: "outcome" })).rejects.toThrow(
    "step reward of the plan",
  );
  expect((await rewardTrajectories([], slip)).trajectories).toEqual([]);
});

function named(name: string, value: number, step?: number): Reward {
  return { name, source: "test", score: scored(value), ...(step === undefined ? {} : { step }) };
}
