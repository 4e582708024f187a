import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { near, stepValues, times, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";

recipeContract("reinforce-plus-plus");

test("tokens are compared over the whole batch: a task that was always solved gains, one that never was loses", async () => {
  const collect = () => walked({ quick: "east east" }, { idle: "wait" });
  const { record, first, model } = await watchRecipe("reinforce-plus-plus", { collect });
  const values = stepValues(record.episodes, first.rows);
  // "go east" and its end are 8 tokens, twice, each with return 1; "wait" and its end are 5, five times, with return 0.
  const mean = 16 / 41;
  const deviation = Math.sqrt((16 * (1 - mean) ** 2 + 25 * mean ** 2) / 40);
  const [better, worse] = [(1 - mean) / deviation, -mean / deviation];
  expect(values["quick"]?.flat()).toEqual(near(times(16, better), 6));
  expect(values["idle"]?.flat()).toEqual(near(times(25, worse), 6));
  await model.close();
});

test("with a discount the tokens at the end of an answer earn more than those before", async () => {
  const collect = () => walked({ quick: "east east", idle: "wait" });
  const given = { "credit.gamma": 0.5 };
  const { record, first, model } = await watchRecipe("reinforce-plus-plus", { collect, given });
  const { quick = [], idle = [] } = stepValues(record.episodes, first.rows);
  const nothing = idle[0]?.[0] ?? Number.NaN;
  // Over what a token without a return has: 1 at the last token, half of it at the one before, and so on.
  const last = (quick[0]?.[7] ?? Number.NaN) - nothing;
  const wanted = Array.from({ length: 8 }, (_, at) => nothing + last * 0.5 ** (7 - at));
  expect(quick).toEqual([near(wanted), near(wanted)]);
  await model.close();
});
