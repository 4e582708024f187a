import { expect, test } from "vitest";
import { correlation } from "./rebuttal.ts";
import { runJudging } from "./registry.ts";

test("a reply that is chosen by an inferred type is accepted more often, and the writer's own judgement agrees with the checker", async () => {
  const { gain, correlation: agreement } = await runJudging("rebuttal", { dialogues: 500, heldOut: 120 }, 7);
  expect(gain).toBeGreaterThan(0);
  expect(agreement).toBeGreaterThan(0.5);
}, 120_000);

test("correlation by hand", () => {
  // Deviations -1, 0, 1 and -2, 1, 1: 3 / sqrt(2 * 6).
  expect(
    correlation([
      [0, 0],
      [1, 3],
      [2, 3],
    ]),
  ).toBeCloseTo(3 / Math.sqrt(12), 9);
});
