import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { scored } from "limbeck-base/trajectory/score";
import { defineReward } from "./reward.ts";
import { rewardTrajectories, allRewards } from "./registry.ts";
import { readRewardPlan, rewardPlanSchema, plainRewardPlan } from "./plan-file.ts";

test("a name alone, one reward, several with weights: what is trained on is clear", () => {
  expect(readRewardPlan("trace")).toEqual({ rewards: [{ use: "trace" }], reward: "trace" });
  expect(readRewardPlan({ rewards: [{ use: "format", as: "form" }] }).reward).toBe("form");
  expect(readRewardPlan({ rewards: [{ use: "step-rewards" }], stepReward: "step-rewards" }).reward).toBeUndefined();
  const summed = readRewardPlan({
    rewards: [{ use: "outcome", weight: 1 }, { use: "format" }, { use: "efficiency", as: "short", weight: 0.25 }],
  });
  expect(summed).toEqual({
    rewards: [
      { use: "outcome" },
      { use: "format" },
      { use: "efficiency", as: "short" },
      { use: "components", options: { weights: { outcome: 1, short: 0.25 } } },
    ],
    reward: "components",
  });
  // A part will do too.
  expect(readRewardPlan({ rewards: [{ use: "format" }], reward: "format.valid" }).reward).toBe("format.valid");
});

test.each([
  [{ rewards: [{ use: "outcom" }] }, 'No reward "outcom". Did you mean "outcome"?'],
  [{ rewards: [{ use: "outcome" }, { use: "format" }] }, "does not say which of outcome, format is trained on"],
  [{ rewards: [{ use: "outcome" }], reward: "total" }, "total"],
  [{ rewards: [{ use: "format", options: { tag: [] } }] }, "tag"],
  [{ rewards: [{ use: "outcome" }], screens: { "length-exploits": {} } }, "length-exploit"],
  [{ rewards: [] }, "is not a plan of rewards: rewards"],
  [{ rewards: [{ use: "outcome" }], weights: 3 }, "weights"],
])("refused by name: %j", (plan, message) => {
  expect(() => readRewardPlan(plan, '"my.yaml"')).toThrow(message);
});

test("weights add up, by hand: 2 * 1 + 0.5 * 0.25", async () => {
  const fixed = (id: string, value: number) =>
    defineReward({
      id,
      info: { title: id, meaning: "", paper: "", confidence: "practice", formula: [], departures: [] },
      options: {},
      score: (batch) => ({ awards: batch.map(() => [{ score: scored(value) }]) }),
    });
  const rewards = [
    { use: fixed("one", 1), weight: 2 },
    { use: fixed("other", 0.25), weight: 0.5 },
  ];
  const { trajectories } = await rewardTrajectories([sampleTrajectory("a")], { rewards });
  expect(trajectories[0]?.reward).toEqual(scored(2.125));
  // Rewards of one's own are not what a file could hold.
  expect(plainRewardPlan({ rewards })).toBeUndefined();
});

test("the schema knows every reward with its options, and every screen", () => {
  const [names, plan] = rewardPlanSchema()["anyOf"] as [{ enum: string[] }, { properties: Record<string, never> }];
  expect(names.enum).toEqual(Object.keys(allRewards));
  expect(JSON.stringify(plan.properties)).toContain("everyStep");
  expect(JSON.stringify(plan.properties)).toContain("judge-tampering");
});

test("schedules, gates, levels and normalisation: what is trained on, and what the file says stays", () => {
  const file = {
    rewards: [
      { use: "format", weight: { 0: 1, 20: 0.2 }, screens: { "length-exploit": { minPairs: 12 } } },
      { use: "outcome", weight: 1, when: "format", normalise: "group" },
      { use: "step-rewards", as: "steps", weight: 0.5, level: "segment", segment: { every: 4 } },
    ],
    unscored: "rescale",
  };
  const plan = readRewardPlan(file);
  expect(plan).toEqual({ ...file, reward: "components", stepReward: "step-components" });
  expect(plainRewardPlan(plan)).toEqual(JSON.parse(JSON.stringify(plan)));
  // As a run keeps it, it is the same plan when it is read again.
  expect(readRewardPlan(plainRewardPlan(plan))).toEqual(plan);
  expect(readRewardPlan({ rewards: [{ use: "format", level: "step" }] })).toMatchObject({ stepReward: "format" });
  expect(readRewardPlan({ rewards: [{ use: "outcome", normalise: "range" }] })).toMatchObject({
    reward: "outcome.counted",
  });
});

test.each([
  [{ use: "outcome", weight: { soon: 1 } }, 'The weight of "outcome" names the update "soon"'],
  [{ use: "outcome", when: "formt" }, 'No reward before "outcome", which its gate asks for "formt"'],
  [{ use: "outcome", when: "outcome" }, "which its gate asks for"],
  [{ use: "outcome", when: { reward: "format", least: 2, most: 1 } }, "never opens: least is 2 and most is 1"],
  [{ use: "outcome", level: "tokens" }, "rewards.1.level"],
  [{ use: "outcome", normalise: "z" }, "rewards.1.normalise"],
  [{ use: "outcome", segment: { every: 2 } }, 'needs its level to be "segment"'],
  [{ use: "outcome", level: "segment", segment: { at: "milestones" } }, "milestones"],
  [{ use: "outcome", screens: { "length-exploits": {} } }, 'Did you mean "length-exploit"?'],
  [{ use: "outcome", screens: { "reward-without-success": {} } }, 'Put it under "screens" of the plan'],
  [{ use: "outcome", screens: { "length-exploit": { minPair: 3 } } }, "minPair"],
  [{ use: "outcome", as: "format" }, 'are named "format"'],
  [{ use: "outcome", as: "success" }, "is the episode's own"],
  [{ use: "outcome", seconds: 0 }, "rewards.1.seconds"],
])("refused with the name of what is wrong: %j", (planned, message) => {
  const rewards = [
    { use: "format", weight: 1 },
    { weight: 1, ...planned },
  ];
  expect(() => readRewardPlan({ rewards }, '"my.yaml"')).toThrow(message);
});

test("form first, then values: weights move with the update, by hand", async () => {
  const plan = readRewardPlan({
    rewards: [
      { use: "format", options: { tags: [] }, weight: { 1: 1, 11: 0 } },
      { use: "outcome", weight: { 1: 0, 11: 1 } },
    ],
  });
  const own = { ...sampleTrajectory("a"), reward: scored(0.25) };
  const at = async (update?: number) => {
    const given = await rewardTrajectories([own], plan, update === undefined ? {} : { update });
    return given.trajectories[0]?.reward;
  };
  expect(await at(1)).toEqual(scored(1));
  // Halfway: 0.5 * 1 + 0.5 * 0.25.
  expect(await at(6)).toEqual(scored(0.625));
  expect(await at(99)).toEqual(scored(0.25));
  expect(await at()).toEqual(scored(0.25));
});
