import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { near, stepCredits, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("gigpo");

test("steps from the same room are compared by their returns, where the episodes themselves all came out alike", async () => {
  const collect = () => walked({ straight: "east east", round: "east west east east" });
  const { record, first, model } = await watchRecipe("gigpo", { collect });
  const { straight = [], round = [] } = stepCredits(record.episodes, first.rows);
  // Both arrive, so the episodes differ in nothing. With a discount of 0.95 the returns are
  //   room 1: 0.95 (straight), 0.857375 and 0.95 (round), mean 0.919125;
  //   room 2: 1 (straight), 0.9025 and 1 (round), mean 0.9675.
  const wanted = { straight: [0.030875, 0.0325], round: [-0.06175, -0.065, 0.030875, 0.0325] };
  expect(straight).toEqual(near(wanted.straight));
  expect(round).toEqual(near(wanted.round));
  await model.close();
});

test("the episode's part comes on top, and rooms of different tasks are not the same", async () => {
  const collect = () => walked({ straight: "east east", idle: "east" }, { other: "east east" });
  const { record, first, model } = await watchRecipe("gigpo", { collect, given: { "credit.invalidPenalty": 0 } });
  const { straight = [], idle = [], other = [] } = stepCredits(record.episodes, first.rows);
  // Episodes, over steps: 1, 1 and five times 0: mean 2/7.
  // Room 1: 0.95 and 0, mean 0.475. Room 2: 1 and four times 0, mean 0.2.
  expect(straight).toEqual(near([5 / 7 + 0.475, 5 / 7 + 0.8]));
  expect(idle).toEqual(near([-2 / 7 - 0.475, ...Array.from({ length: 4 }, () => -2 / 7 - 0.2)]));
  // Alone in its task: its steps have nobody to be compared with, and both scores are alike.
  expect(other).toEqual([0, 0]);
  await model.close();
});

test("a group that failed throughout teaches nothing by its refused actions alone, unless all groups pay for them", async () => {
  // "sing" and "wait" are no moves of the corridor, and neither arrives. Of five steps each, 4 and 3 are refused.
  const collect = () => walked({ sings: "east sing", idle: "east west" });
  const magnitudes = async (given: Readonly<Record<string, string>>): Promise<(number | undefined)[]> => {
    const { record, model } = await watchRecipe("gigpo", { collect, given });
    await model.close();
    const rows = record.credited?.result.advantages.flatMap((values) => [...values].map(Math.abs)) ?? [];
    return [Math.max(...rows), record.metrics["credit/forgiven"]];
  };
  expect(await magnitudes({})).toEqual([0, 7]);
  const [most, forgiven] = await magnitudes({ penaltyGroups: "all" });
  expect(most).toBeGreaterThan(0.05);
  expect(forgiven).toBeUndefined();
});
