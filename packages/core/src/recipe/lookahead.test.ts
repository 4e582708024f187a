import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { logprobsOf, sum, times, trainedText, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";

recipeContract("lookahead", { collect: () => strategyEpisodes("lookahead") });

const collect = () => walked({ away: "east west", direct: "east east", round: "east west east east" });

test("where ways part the best action is learned in full, and where each leads, with a tenth of the weight", async () => {
  const { first, model } = await watchRecipe("lookahead", { collect });
  // Room 1: all went east, so that nothing is told apart. Room 2: going east earns 1 at once, going west 0.95 * 0.95.
  // Room 1 again: going east leads to 0.95, waiting to nothing.
  const lessons = [
    { action: "go east\n", chain: "go east -> Room 3. (+1)\nnot go west -> Room 1." },
    { action: "go east\n", chain: "go east -> Room 2.\ngo east -> Room 3. (+1)\nnot wait -> A wall." },
  ];
  expect(first.rows.map(trainedText)).toEqual(lessons.map(({ action, chain }) => action + chain));
  expect(first.rows.map(({ trajectory, step }) => [trajectory, step])).toEqual([
    ["direct", 1],
    ["round", 2],
  ]);
  first.rows.forEach(({ mask, weights = new Float64Array() }, at) => {
    const own = [...weights].filter((_, token) => mask[token] === 1);
    const { action, chain } = lessons[at] as (typeof lessons)[number];
    expect(own).toEqual([...times(action.length, 1), ...times(chain.length, 0.1)]);
  });
  const after = await logprobsOf(model, first.rows);
  for (const [row, before] of first.before.entries()) {
    expect(sum(after[row] ?? [])).toBeGreaterThan(sum(before));
  }
  await model.close();
});

test("the best way must be better by more than the gap", async () => {
  // East from room 2 is worth 1, west 0.9025: 0.0975 apart. East from room 1 again is worth 0.95 more than a wait.
  const { first, model } = await watchRecipe("lookahead", { collect, given: { gap: 0.0976 } });
  expect(first.rows.map(({ trajectory, step }) => [trajectory, step])).toEqual([["round", 2]]);
  await model.close();
});
