import { expect, test } from "vitest";
import { corridor } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { marginsAfter, sidesOf, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { findPairs } from "../distill/pairs/index.ts";
import { createForest, episodeSteps } from "limbeck-base/trajectory/forest";
import type { Task } from "limbeck-base/trajectory/trajectory";

recipeContract("cso", { collect: () => strategyEpisodes("cso") });

const CONTROLLED = { "pairs.share": 0.5, "pairs.control": true };
const walks = { away: "east west", direct: "east east", round: "east west east east", slow: "wait east east" };

test("of a failed run only the step that decided it is learned from", async () => {
  const { first, model } = await watchRecipe("cso", { collect: () => walked(walks), given: CONTROLLED });
  // After going east 2 of 3 still arrived, after going west again 1 of 2: those steps of the failed run decided nothing.
  // The wait then did: going east from there arrived.
  expect(sidesOf(first)).toEqual({ "round@2 > away@2": ["go east\n", "wait\n"] });
  const margins = await marginsAfter(model, first);
  expect(margins["round@2 > away@2"]).toBeGreaterThan(0);
  await model.close();
});

test("what came of somebody else's action proves nothing about the policy's own steps before it", async () => {
  const episodes = await walked(walks);
  // The last step of the run that arrived was not the policy's own.
  const helped = episodes.map((one) =>
    one.id === "round"
      ? { ...one, steps: one.steps.map((step) => (step.index === 3 ? { ...step, info: { source: "expert" } } : step)) }
      : one,
  );
  const { record, first, model } = await watchRecipe("cso", {
    collect: () => Promise.resolve(helped),
    given: CONTROLLED,
  });
  // West is no longer saved by the run that was helped; going east at once, which arrived by itself, is preferred.
  expect(sidesOf(first)).toEqual({ "direct@1 > away@1": ["go east\n", "go west\n"] });
  expect(record.metrics["pairs/used"]).toBe(1);
  await model.close();
});

/** Whether these actions succeed in a fresh world. */
async function playedAgain(task: Task, actions: readonly string[]): Promise<boolean> {
  const episode = await corridor().open(task);
  try {
    for (const action of actions) if (episode.ending === undefined) await episode.step(action);
    return episode.success === true;
  } finally {
    await episode.close();
  }
}

test("every kept pair flips when both sides are played again: the same beginning, then failure and success", async () => {
  let kept = 0;
  for (let seed = 0; seed < 12; seed += 1) {
    const episodes = await strategyEpisodes("cso", {}, `flips ${seed}`);
    const forest = createForest(episodes);
    for (const { chosen, rejected } of findPairs("cso", episodes)) {
      const [good, bad] = [episodeSteps(forest, chosen.trajectory), episodeSteps(forest, rejected.trajectory)];
      const at = chosen.steps[0] as number;
      expect(rejected.steps).toEqual([at]);
      expect(good.slice(0, at).map(({ stateKey }) => stateKey)).toEqual(
        bad.slice(0, at).map(({ stateKey }) => stateKey),
      );
      expect(good[at]?.action).not.toBe(bad[at]?.action);
      const { task } = forest.get(chosen.trajectory) as (typeof episodes)[number];
      const actionsOf = (steps: typeof good): string[] => steps.map(({ action }) => action);
      expect(await playedAgain(task, actionsOf(good))).toBe(true);
      expect(await playedAgain(task, actionsOf(bad))).toBe(false);
      kept += 1;
    }
  }
  // Enough of them, or the loop would have shown nothing.
  expect(kept).toBeGreaterThan(10);
});
