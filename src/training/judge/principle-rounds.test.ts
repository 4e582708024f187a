import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("accuracy on held-out bad samples rises in each of three rounds, and a policy trained against it books better", async () => {
  const small = { samples: 150, heldOut: 200, updates: 80 };
  const found = await runJudging("principle-rounds", small, 7);
  expect(found["leastRise"]).toBeGreaterThan(0);
  expect(found["principles"]).toBe(4);
  expect(found["passed3"]).toBeGreaterThan(0.9);
  // The hidden checker: against the judge of the first round what it does not see pays as much as what is right.
  expect(found["gain"]).toBeGreaterThan(0);
}, 120_000);
