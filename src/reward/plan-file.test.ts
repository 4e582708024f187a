import { expect, test } from "vitest";
import { sampleTrajectory } from "../../test/support/samples.ts";
import { scored } from "../trajectory/index.ts";
import { defineReward, rewardTrajectories } from "./index.ts";
import { readRewardPlan, rewardPlanSchema } from "./plan-file.ts";
import { plainRewardPlan } from "./plan-file.ts";
import { allRewards } from "./registry.ts";

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
