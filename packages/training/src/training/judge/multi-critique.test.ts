import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("the critic that was trained on merged critiques finds more planted faults than the best single critic", async () => {
  const { f1, bestCritic, trainedOnBestCritic } = await runJudging("multi-critique", { samples: 700, heldOut: 300 }, 7);
  expect(f1).toBeGreaterThan(bestCritic as number);
  // What several agree on is a better lesson than what the best of them says.
  expect(f1).toBeGreaterThan(trainedOnBestCritic as number);
}, 120_000);
