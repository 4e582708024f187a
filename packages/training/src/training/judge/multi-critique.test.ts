import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("the critic that was trained on merged critiques finds more planted faults than the best single critic", async () => {
  const { f1, bestCritic, trainedOnBestCritic } = await runJudging("multi-critique", { samples: 700, heldOut: 300 }, 7);
  expect(f1).toBeGreaterThan(bestCritic as number);
  // What several agree on is a better lesson than what the best of them says.
  expect(f1).toBeGreaterThan(trainedOnBestCritic as number);
}, 120_000);

test("switched off, it is the control itself: the best critic, asked as often as all three", async () => {
  const sizes = { samples: 200, heldOut: 150 };
  const [on, off] = [
    await runJudging("multi-critique", sizes, 7),
    await runJudging("multi-critique", { ...sizes, merge: false }, 7),
  ];
  expect(off["ahead"]).toBe(0);
  expect((on["f1"] as number) - (on["ahead"] as number)).toBeCloseTo(off["f1"] as number, 12);
}, 120_000);
