import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { trainedText, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { scored } from "limbeck-base/trajectory/score";

const tried = () => strategyEpisodes("early-experience");

recipeContract("early-experience", { collect: tried });

/** An expert goes straight to the end; the policy has ideas of its own at both of its rooms. */
const collect = async () =>
  (await walked({ expert: "east east", idle: "wait wait", away: "east west" })).map((one) => ({
    ...one,
    // Of the policy's own walks what follows the idea is of no interest here.
    steps: one.steps
      .slice(0, one.id === "idle" ? 1 : 2)
      .map((step) =>
        one.id === "expert" || (one.id === "away" && step.index === 0)
          ? { ...step, info: { source: "corrector" } }
          : step,
      ),
    closing: { observation: { expert: "Room 3.", idle: "A wall.", away: "Room 1." }[one.id] ?? "" },
  }));

test("of own ideas only what the world said is learned, of the expert's its action, with and without the reason", async () => {
  const given = { observationWeight: 0.2 };
  const { record, first, model } = await watchRecipe("early-experience", { collect, given });
  expect(record.metrics).toMatchObject({ "lessons/observations": 2, "lessons/reflections": 2, "lessons/actions": 2 });
  expect(first.rows.map((row) => [row.trajectory, row.step, trainedText(row)])).toEqual([
    // The world's replies to the policy's own ideas; the ideas themselves are read, not learned.
    ["idle", 0, "A wall."],
    ["away", 1, "Room 1."],
    // The expert's action, and why: what came of each.
    ["away", 0, "go east\nIf I wait: A wall.\nIf I go east: Room 2.\nSo: go east."],
    ["expert", 1, "go east\nIf I go west: Room 1.\nIf I go east: Room 3.\nSo: go east."],
    // The expert's action alone.
    ["away", 0, "go east\n"],
    ["expert", 1, "go east\n"],
  ]);
  // A predicted token weighs 0.2 here, one of a reason 0.1, and one of an action 1.
  const weights = first.rows.map(({ mask, weights: all }) => [
    ...new Set([...mask.keys()].filter((at) => mask[at] === 1).map((at) => all?.[at] ?? 1)),
  ]);
  expect(weights).toEqual([[0.2], [0.2], [1, 0.1], [1, 0.1], [1], [1]]);
  await model.close();
});

test("no reward is read: with all of them scrambled the same is learned, to the bit", async () => {
  const scrambled = async () =>
    (await tried()).map((one, at) => ({
      ...one,
      reward: scored(at % 3),
      success: at % 2 === 0,
      steps: one.steps.map((step) => ({ ...step, reward: scored((step.index * 7 + at) % 5) })),
    }));
  const [plain, other] = [
    await watchRecipe("early-experience", { collect: tried }),
    await watchRecipe("early-experience", { collect: scrambled }),
  ];
  expect(other.first.rows).toEqual(plain.first.rows);
  expect(other.model.weights.flat).toEqual(plain.model.weights.flat);
  await Promise.all([plain.model.close(), other.model.close()]);
});
