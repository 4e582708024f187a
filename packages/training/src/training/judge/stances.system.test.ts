import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("revision from three stances raises accuracy, and lessons that the critic kept teach better than as many others", async () => {
  const found = await runJudging("stances", { lessons: 400, heldOut: 150, epochs: 4 }, 7);
  expect(found["after"]).toBeGreaterThan(found["before"] as number);
  // One of the three by chance is worth less than the critic's choice.
  expect(found["after"]).toBeGreaterThan(found["blind"] as number);
  expect(found["filtered"]).toBeGreaterThan(found["unfiltered"] as number);
}, 120_000);
