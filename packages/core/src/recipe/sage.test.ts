import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { stepCredits, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { chainMeasures, withChainReward } from "./sage.ts";

/** Two chains of two tasks: A solves both and uses the skill of the first in the second, B solves the first alone. */
const collect = async (): Promise<readonly Trajectory[]> => {
  const links: Readonly<Record<string, object>> = {
    a1: { index: 0, carried: 0, used: false, reward: 2 },
    b1: { index: 0, carried: 0, used: false, reward: 1 },
    a2: { index: 1, carried: 1, used: true, reward: 2 },
    b2: { index: 1, carried: 1, used: false, reward: 0 },
  };
  const played = await walked({ a1: "east east", b1: "east east" }, { a2: "east east", b2: "wait wait" });
  return played.map((one) => ({ ...one, info: { ...one.info, chain: links[one.id] as never } }));
};

recipeContract("sage", { collect });

test("the reward of the chain takes the place of the world's: who wrote a skill shares in what came of it", async () => {
  const { record, first, model } = await watchRecipe("sage", { collect });
  // R_1 = [2, 1]: mean 1.5. R_2 = [2, 0], two steps and five, each trajectory once: mean 1. Nothing is divided.
  const credits = stepCredits(record.episodes, first.rows);
  for (const [id, wanted] of Object.entries({ a1: 0.5, b1: -0.5, a2: 1, b2: -1 })) {
    expect(credits[id]?.length).toBeGreaterThan(0);
    for (const credit of credits[id] ?? []) expect(credit).toBeCloseTo(wanted, 5);
  }
  // By the world's own rewards a1 and b1 are equal: nothing would be learned from the first tasks.
  expect(record.metrics).toMatchObject({
    "chain/links": 4,
    "chain/offered": 2,
    "chain/reused": 1,
    "chain/reuseRate": 0.5,
  });
  await model.close();
});

test("an episode outside a chain, or that nobody could score, stays as it is", async () => {
  const [one] = await collect();
  const alone = { ...(one as Trajectory), info: {} };
  expect(withChainReward(alone)).toBe(alone);
  const lost = { ...(one as Trajectory), reward: unscored("gone") };
  expect(withChainReward(lost)).toBe(lost);
  expect(withChainReward(one as Trajectory).reward).toEqual(scored(2));
  expect(chainMeasures([alone])).toEqual({ "chain/links": 0, "chain/offered": 0, "chain/reused": 0 });
});
