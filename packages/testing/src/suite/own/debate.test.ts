import { expect, test } from "vitest";
import { asked } from "../../../../../test/support/asked-suite.ts";
import { debate } from "./debate.ts";

test("early agreement is far from the reference by the spread, and near it by the mean", async () => {
  const [spread, middle] = [debate("spread"), debate("mean")];
  const by = async (own: typeof spread, who: string) => (await asked(own, who)).report.accuracy;
  expect((await by(spread, "perfect"))?.mean).toBe(1);
  const [converging, standing] = [await by(spread, "converging"), await by(spread, "standing")];
  expect(converging?.mean).toBeLessThan(0.7);
  expect(standing?.mean).toBeGreaterThan(0.9);
  expect((await by(middle, "converging"))?.mean).toBeGreaterThan(0.98);
  expect((await by(spread, "empty"))?.mean).toBe(0);
});

test("by the spread each single group that agrees early is farther off than its replay", async () => {
  const { episodes } = await asked(debate("spread"), "converging");
  expect(episodes).toHaveLength(20);
  for (const { score } of episodes) expect(score.kind === "scored" ? score.value : 1).toBeLessThan(0.9);
});
