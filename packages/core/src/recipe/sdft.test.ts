import { expect, test } from "vitest";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { taughtAfter } from "./taught-rows.ts";

recipeContract("sdft");

test.each(["words", "shift", "reverse"])("the form %s learns from the demonstration", async (form) => {
  const { record, before, model } = await tryRecipe("sdft", { given: { form } });
  expect(record.metrics["context/taught"]).toBe(18);
  expect(record.metrics["gradientNorm"]).toBeGreaterThan(0);
  expect(model.weights.flat).not.toEqual(before);
  expect(model.weights.flat.every(Number.isFinite)).toBe(true);
  await model.close();
});

test("a task that nobody can demonstrate is an error, or skipped where that is asked for", async () => {
  const demonstrator = { id: "west", summary: "Goes west.", start: () => ({ next: () => "go west" }) };
  await expect(tryRecipe("sdft", { demonstrator })).rejects.toThrow(/cannot be told "reference-solution"/);
  const { record, before, model } = await tryRecipe("sdft", { demonstrator, given: { missing: "skip" } });
  expect(record.metrics["context/missing"]).toBe(18);
  expect(model.weights.flat).toEqual(before);
  await model.close();
});

test("the first tokens of an answer are left out, and rows without a teacher", () => {
  const row = {
    ids: new Int32Array(7),
    mask: Uint8Array.of(0, 1, 1, 1, 0, 1, 1),
    teacherMask: Uint8Array.of(0, 1, 1, 0, 0, 1, 1),
  };
  const [taught, ...rest] = taughtAfter([row, { ids: row.ids, mask: row.mask }], 1);
  expect(rest).toEqual([]);
  // Of the first answer its second token: the teacher has not spoken of the third. Of the second its last.
  expect([...(taught?.mask ?? [])]).toEqual([0, 0, 1, 0, 0, 0, 1]);
  expect(taughtAfter([row], 3)).toEqual([]);
});
