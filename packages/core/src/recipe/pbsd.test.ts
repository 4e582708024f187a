import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { smallModel, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { asSaidBy, near, stepCredits, sum, walked, watchRecipe } from "../../../../test/support/recipe-walks.ts";
import { mean } from "limbeck-base/base/statistics/summary";

recipeContract("pbsd");

test("the solution is told, and turns get different shares of the outcome", async () => {
  // The walker's log-probabilities are not the model's, so that the evidence is far beyond what is usual.
  const { record, model } = await tryRecipe("pbsd", { given: { "credit.clamp": 1e6, "credit.temperature": 50 } });
  expect(record.metrics["provider/answer-teacher/taught"]).toBe(18);
  expect(record.metrics["credit/largestTurnWeight"]).toBeGreaterThan(1);
  await model.close();
});

test("of an episode's outcome every turn has a share by how much likelier the solution makes its words", async () => {
  const walks = { quick: "east east", slow: "wait east east", idle: "wait", away: "east west" };
  const start = await smallModel();
  const collect = async () => await asSaidBy(start, await walked(walks));
  const { record, first, model } = await watchRecipe("pbsd", { model: start, collect });
  const credits = stepCredits(record.episodes, first.rows);
  const scores = record.episodes.map(({ success }) => Number(success));
  const middle = mean(scores);
  const deviation = Math.sqrt(sum(scores.map((one) => (one - middle) ** 2)) / 3) + 1e-6;
  expect([Math.min(...scores), Math.max(...scores)]).toEqual([0, 1]);
  for (const [at, { id, steps }] of record.episodes.entries()) {
    const outcome = ((scores[at] ?? 0) - middle) / deviation;
    const evidence = steps.map(({ index }) => {
      const row = record.credited?.batch.rows.find(({ trajectory, step }) => trajectory === id && step === index);
      return sum(row?.logprobs?.answerTeacher ?? []) - sum(row?.logprobs?.old ?? []);
    });
    expect(Math.max(...evidence.map(Math.abs))).toBeLessThan(5);
    // Turns that the solution speaks for gain most where the episode did well, and lose least where it did badly.
    const powers = evidence.map((one) => Math.exp(Math.sign(outcome) * one));
    const shares = powers.map((one) => (one * steps.length) / sum(powers));
    expect(new Set(shares).size).toBeGreaterThan(1);
    expect(credits[id]).toEqual(
      near(
        shares.map((share) => outcome * share),
        6,
      ),
    );
  }
  await model.close();
});
