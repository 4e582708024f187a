import { expect, test } from "vitest";
import { tryProvider } from "../../../test/support/provider-bench.ts";

test("the verb is the first part, and earns whether the action was understood", async () => {
  const { batch, metrics } = await tryProvider("segment-rewards", {
    credit: "sd-grpo",
    given: { "segment-rewards.mark": "word" },
  });
  for (const { signals, valid, trajectory } of batch.rows) {
    // "go " is three bytes: the boundary is the third token.
    expect(signals?.split).toEqual({
      token: 2,
      before: valid ? 1 : 0,
      after: batch.trajectories.get(trajectory)?.outcome,
    });
  }
  expect(metrics["segment-rewards/parted"]).toBe(batch.rows.length);
});

test("an answer without the mark has no first part", async () => {
  const { batch } = await tryProvider("segment-rewards", { credit: "sd-grpo" });
  expect(batch.rows.every(({ signals }) => signals?.split?.token === null)).toBe(true);
});
