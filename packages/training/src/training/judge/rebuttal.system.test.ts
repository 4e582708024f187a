import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("a reply that is chosen by an inferred type is accepted more often, and the writer's own judgement agrees with the checker", async () => {
  const { gain, correlation: agreement } = await runJudging("rebuttal", { dialogues: 500, heldOut: 120 }, 7);
  expect(gain).toBeGreaterThan(0);
  expect(agreement).toBeGreaterThan(0.5);
}, 120_000);
