import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { stepCredits, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("hgpo");

test("two steps from the same room with the same return: the one that shares a longer history is compared there too", async () => {
  const collect = () =>
    walked({ straight: "east east", round: "east west east east", late: "east west wait east east" });
  const given = { "credit.mode": "mean_norm", "credit.baseGroup": false, penaltyGroups: "all" };
  const { record, first, model } = await watchRecipe("hgpo", { collect, given });
  const { straight = [], round = [], late = [] } = stepCredits(record.episodes, first.rows);
  // Returns from room 1, with a discount of 0.95 and 0.1 off for a wait that is refused:
  //   straight 0.95; round 0.857375, 0.95; late 0.81450625, 0.8025, 0.95. Mean 0.887396875.
  const room = 0.95 - 0.887396875;
  // Nothing stands before the first step of an episode, so that the room is all there is.
  expect(straight[0]).toBeCloseTo(room, 6);
  // After rooms 1 and 2, back in room 1, only two meet: 0.95 and 0.8025, mean 0.87625, with two states and with three.
  // Levels of one, two and three states weigh 2, 3 and 4.
  expect(round[2]).toBeCloseTo((2 * room + 3 * 0.07375 + 4 * 0.07375) / 9, 6);
  expect(late[2]).toBeCloseTo((2 * (0.8025 - 0.887396875) - 3 * 0.07375 - 4 * 0.07375) / 9, 6);
  // Room 1 after room 1 is a history that nobody shares.
  expect(late[3]).toBeCloseTo(room, 6);
  await model.close();
});
