import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { marginsAfter, pairedRows, sidesOf, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";

const collect = () => strategyEpisodes("step-dpo");

recipeContract("step-dpo", { collect });

test("at every fork the step after which episodes came out better on average is preferred, and becomes likelier", async () => {
  const walks = { away: "east west", direct: "east east", round: "east west east east", slow: "wait east east" };
  const { record, first, model } = await watchRecipe("step-dpo", { collect: () => walked(walks) });
  // Room 1: waiting led to 1 of 1, going east to 2 of 3. Room 2: east 1 of 1, west 1 of 2. Room 1 again: east 1, wait 0.
  expect(sidesOf(first)).toEqual({
    "slow@0 > away@0": ["wait\n", "go east\n"],
    "direct@1 > away@1": ["go east\n", "go west\n"],
    "round@2 > away@2": ["go east\n", "wait\n"],
  });
  expect(record.metrics["pairs/margin"]).toBeCloseTo((1 / 3 + 1 / 2 + 1) / 3, 12);
  const margins = await marginsAfter(model, first);
  expect(margins["direct@1 > away@1"]).toBeGreaterThan(0);
  // Room 1 is decided both ways; what the later fork says weighs on the same words.
  expect(Object.values(margins).reduce((total, one) => total + one)).toBeGreaterThan(0);
  await model.close();
});

test("both sides of a pair share every token before the step, and nothing after it is learned", async () => {
  const { first, model } = await watchRecipe("step-dpo", { collect });
  const pairs = pairedRows(first);
  expect(pairs.size).toBeGreaterThan(1);
  for (const [chosen, rejected] of pairs.values()) {
    const start = chosen.mask.indexOf(1);
    expect(rejected.mask.indexOf(1)).toBe(start);
    expect(chosen.ids.subarray(0, start)).toEqual(rejected.ids.subarray(0, start));
    // From there on to the end of the row every token is the step's own.
    for (const row of [chosen, rejected]) expect(row.mask.subarray(start)).not.toContain(0);
    expect(chosen.ids.subarray(start)).not.toEqual(rejected.ids.subarray(start));
  }
  await model.close();
});
