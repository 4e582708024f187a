import { expect, test } from "vitest";
import { corridorDialect, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";

recipeContract("otr");

test("demonstrations of the tasks are learned from, every word of them", async () => {
  const { record, model } = await tryRecipe("otr");
  const words = 2 * corridorDialect.reply("go east").length;
  expect(record.beside).toHaveLength(3);
  expect(record.metrics["loss/policy/trainedTokens"]).toBe(3 * words);
  expect(record.metrics).toMatchObject({ "demonstrator/solved": 3, "demonstrator/failed": 0 });
  // The demonstrator's word is one of 65 at least.
  expect(record.metrics["loss/policy/right"]).toBeGreaterThanOrEqual(1 / 65 - 1e-9);
  await model.close();
});

test("what the policy draws comes to what it believes: many draws and all words nearly agree", async () => {
  const many = await tryRecipe("otr", { given: { draws: 2000, addGold: false } });
  const all = await tryRecipe("otr", { given: { form: "vocabulary" } });
  const loss = ({ record }: typeof all): number => record.metrics["loss/policy/loss"] as number;
  // A random model believes in each of 272 words alike; 48 positions of 2,000 draws leave a few hundredths.
  expect(Math.abs(loss(many) - loss(all))).toBeLessThan(0.05);
  await Promise.all([many.model.close(), all.model.close()]);
});

test("where the demonstrator fails nothing is learned, and it is counted", async () => {
  const lost = { id: "lost", summary: "Waits.", start: () => ({ next: () => "wait" }) };
  const { record, model, before } = await tryRecipe("otr", { demonstrator: lost });
  expect(record.metrics["demonstrator/failed"]).toBe(3);
  expect(model.weights.flat).toEqual(before);
  await model.close();
});

test("plain imitation learns the same demonstrations, and draws nothing", async () => {
  const { record, model, before } = await tryRecipe("otr", { given: { form: "imitation" } });
  expect(record.metrics["demonstrator/solved"]).toBeGreaterThan(0);
  expect(record.metrics["teacher/tokens"]).toBeUndefined();
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});
