import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("steps of one stream become one row; turns and rewards stand where the answers do", async () => {
  const { batch, plain, episodes } = await tryProvider("conversations", {
    credit: "bi-level-gae",
    script: () => "go east",
    size: 2,
  });
  expect(plain.rows).toHaveLength(4);
  expect(batch.rows).toHaveLength(2);
  const [row] = batch.rows;
  const spans = episodes[0]?.steps.map(({ span }) => span) ?? [];
  const from = spans[0]?.start ?? 0;
  expect(row?.turns).toEqual(spans.map((span) => ({ start: (span?.start ?? 0) - from, end: (span?.end ?? 0) - from })));
  // 0 for the first turn, 1 for the one that arrives; what the world said is not trained on.
  const rewards = [...(row?.tokenRewards ?? [])];
  expect(rewards.reduce((sum, value) => sum + value, 0)).toBe(1);
  expect(rewards.at(-1)).toBe(1);
  const first = row?.turns?.[0]?.end ?? 0;
  expect(row?.mask[first]).toBe(0);
  expect(batch.steps[0]?.span).toEqual({ stream: 0, start: from, end: spans.at(-1)?.end });
});
