import { expect, test } from "vitest";
import { tryProvider, walkerDialect } from "../../../../../test/support/provider-bench.ts";

test("every word is scored again with the solution in the opening", async () => {
  const { batch, asked, cost } = await tryProvider("answer-teacher", { credit: "pbsd", size: 2 });
  expect(batch.rows.every(({ logprobs, mask }) => logprobs?.answerTeacher?.length === mask.length)).toBe(true);
  for (const { ids } of asked) {
    expect(walkerDialect.answer(ids)).toContain("This worked: go east; go east.");
  }
  expect(cost.modelTokens).toBe(asked.reduce((total, { ids }) => total + ids.length, 0));
});

test("without a verified solution the turns share alike", async () => {
  const west = { id: "west", summary: "Goes west.", start: () => ({ next: () => "go west" }) };
  const { batch } = await tryProvider("answer-teacher", { credit: "pbsd", demonstrator: west });
  expect(batch.rows.every(({ gold, logprobs }) => gold === null && logprobs?.answerTeacher === undefined)).toBe(true);
});
