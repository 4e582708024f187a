import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { marginsAfter, sidesOf, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("online-dpo");

test("the best episode with the worst, the second best with the second worst; who stands in the middle is left alone", async () => {
  const collect = () =>
    walked(
      { idle: "wait", lost: "east", quick: "east east", round: "east west east east", slow: "wait east east" },
      // Nobody earned more than the other.
      { left: "wait", right: "wait" },
    );
  const { record, first, model } = await watchRecipe("online-dpo", { collect });
  const waits = "wait\n".repeat(4);
  // Equal rewards in the order of the names: quick, round, slow; idle, lost.
  expect(sidesOf(first)).toEqual({
    "quick@0-1 > lost@0-4": ["go east\ngo east\n", `go east\n${waits}`],
    "round@0-3 > idle@0-4": ["go east\ngo west\ngo east\ngo east\n", `wait\n${waits}`],
  });
  expect(record.metrics).toMatchObject({ "pairs/used": 2, "pairs/margin": 1, "pairs/lost": 0 });
  // At first the policy is the reference itself: -log sigmoid(0).
  expect(first.report.loss).toBeCloseTo(Math.log(2), 6);
  const margins = await marginsAfter(model, first);
  expect(Object.keys(margins)).toEqual(["quick@0-1 > lost@0-4", "round@0-3 > idle@0-4"]);
  expect(Math.min(...Object.values(margins))).toBeGreaterThan(0);
  await model.close();
});
