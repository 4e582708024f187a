import { expect, test } from "vitest";
import { creditings, hasDiverged, learnCrossing } from "../../../../research/proofs/crossing-world.ts";

test("vg-grpo: scenes below the threshold push next to nothing, and fewer of 20 seeds diverge than with GRPO", () => {
  // Few scenes are meetings.
  const runsOf = (credit: keyof typeof creditings, rate: number) =>
    Array.from({ length: 20 }, (_, seed) => learnCrossing(creditings[credit], { rate, meetings: 0.02, seed }));
  const [plain, gated] = (["grpo", "vg-grpo"] as const).map((credit) => [0.1, 1].map((rate) => runsOf(credit, rate)));
  // Jitter of a hundredth has a variance of 0.01^2 / 12 = 8e-6, a thousandth of the threshold: so is the push.
  for (const { open } of plain?.[0] ?? []) expect(open).toBeGreaterThan(0.4);
  for (const { open } of gated?.[0] ?? []) expect(open).toBeLessThan(0.001);
  expect(plain?.map((runs) => runs.filter(hasDiverged).length)).toEqual([4, 1]);
  expect(gated?.map((runs) => runs.filter(hasDiverged).length)).toEqual([0, 0]);
});
