import { expect, test } from "vitest";
import { corridorEpisodes, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";

recipeContract("opd");

test("with nothing told every row has a teacher", async () => {
  const { record, model } = await tryRecipe("opd", { given: { context: "none" } });
  expect([record.metrics["context/missing"], record.metrics["credit/untaughtRows"]]).toEqual([0, 0]);
  await model.close();
});

test("with the teacher off only the reward is left", async () => {
  const { record, before, model } = await tryRecipe("opd", { given: { stopAfter: 0, "credit.rewardWeight": 1 } });
  expect(record.taught).toBeUndefined();
  expect(model.weights.flat).not.toEqual(before);
  await model.close();
});

test("several teachers as one", async () => {
  const given = { teacher: "mixture", teacherSource: "reference*0.5, self*0.5" };
  const [mixed, plain] = [await tryRecipe("opd", { given }), await tryRecipe("opd")];
  // At the first update both are the start itself, so that their average says what each says.
  const shift = (record: typeof mixed.record): number => record.diagnostics?.all.mean ?? Number.NaN;
  expect(shift(mixed.record)).toBeCloseTo(shift(plain.record), 5);
  await Promise.all([mixed.model.close(), plain.model.close()]);
});

test("with failed episodes alone, what the teacher says of solved ones is exactly 0", async () => {
  const given = { taught: "failed", context: "none", "credit.rewardWeight": 1 };
  const { record, model } = await tryRecipe("opd", { given, collect: () => corridorEpisodes("several") });
  const solved = new Set(record.episodes.filter(({ success }) => success === true).map(({ id }) => id));
  expect([solved.size > 0, solved.size < record.episodes.length]).toEqual([true, true]);
  const { batch, result } = record.credited ?? {};
  const said = result?.terms["teacher"]?.perToken ?? [];
  const rows = batch?.rows.map(({ trajectory }, at) => ({ isSolved: solved.has(trajectory), said: said[at] })) ?? [];
  const own = rows.filter(({ isSolved }) => isSolved);
  expect(own.length).toBeGreaterThan(0);
  expect(own.every((row) => row.said?.every((value) => value === 0) ?? true)).toBe(true);
  expect(record.metrics["credit/untaughtRows"]).toBe(own.length);
  await model.close();
});
