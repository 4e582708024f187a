import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("rows say how many steps their episode was given", async () => {
  const { episodes } = await tryProvider("guided-starts", { credit: "step-grpo" });
  const noted = episodes.map((episode, at) => ({ ...episode, info: { ...episode.info, guidedSteps: at } }));
  const { batch } = await tryProvider("guided-starts", { credit: "step-grpo", episodes: noted });
  const given = new Map(noted.map(({ id }, at) => [id, at]));
  for (const { trajectory, signals } of batch.rows) expect(signals?.guidedSteps).toBe(given.get(trajectory));
});
