import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { chooseTrajectories } from "../distill/curation/topology.ts";
import { corridorEpisodes, tryRecipe } from "../../../../test/support/recipe-bench.ts";

recipeContract("rejection-sampling");

test("only episodes that succeeded are learned from", async () => {
  const { record, model } = await tryRecipe("rejection-sampling");
  const trained = record.episodes
    .filter(({ success }) => success === true)
    .reduce((total, { streams }) => total + (streams[0]?.mask.reduce((sum, one) => sum + one, 0) ?? 0), 0);
  expect(trained).toBeGreaterThan(0);
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(trained);
  await model.close();
});

test("curated: so many successes of a task, and not the plainest", async () => {
  const all = await tryRecipe("rejection-sampling");
  const { record, model } = await tryRecipe("rejection-sampling", { given: { curate: 1 } });
  const tasks = new Set(record.episodes.filter(({ success }) => success === true).map(({ task }) => task.id)).size;
  const chosen = chooseTrajectories(record.episodes, 1);
  expect(chosen.size).toBe(tasks);
  const trained = record.episodes
    .filter(({ id }) => chosen.has(id))
    .reduce((total, { streams }) => total + (streams[0]?.mask.reduce((sum, one) => sum + one, 0) ?? 0), 0);
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(trained);
  expect(trained).toBeLessThan(all.record.metrics["loss/policy/trainedTokens"] as number);
  await Promise.all([model.close(), all.model.close()]);
});

test("of the steps only the most unsure: fewer tokens are learned from, and scoring them is booked", async () => {
  const all = await tryRecipe("rejection-sampling");
  const { record, update, model } = await tryRecipe("rejection-sampling", { given: { stepShare: 0.5 } });
  const [some, every] = [record, all.record].map(({ metrics }) => metrics["loss/policy/trainedTokens"] as number);
  expect(some).toBeLessThan(every as number);
  expect(some).toBeGreaterThan(0);
  // Both played the same episodes; scoring their steps comes on top.
  expect(update.ledger.cost.modelTokens).toBeGreaterThan(all.update.ledger.cost.modelTokens);
  await Promise.all([model.close(), all.model.close()]);
});

test("without a success nothing changes", async () => {
  const failures = (await corridorEpisodes("one")).filter(({ success }) => success === false);
  const { before, model } = await tryRecipe("rejection-sampling", { collect: () => Promise.resolve(failures) });
  expect(model.weights.flat).toEqual(before);
  await model.close();
});
