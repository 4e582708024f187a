import { expect, test } from "vitest";
import { runJudging } from "./registry.ts";

test("a reply that is chosen by an inferred type is accepted more often, and the writer's own judgement agrees with the checker", async () => {
  const { gain, correlation: agreement } = await runJudging("rebuttal", { dialogues: 500, heldOut: 120 }, 7);
  expect(gain).toBeGreaterThan(0);
  expect(agreement).toBeGreaterThan(0.5);
}, 120_000);

test("a learnt profile is worth more than one by lot, and a judge of topics and answers needs none", async () => {
  const sizes = { dialogues: 1200, heldOut: 120 };
  const [learnt, lot] = [
    await runJudging("rebuttal", { ...sizes, profile: "learnt" }, 7),
    await runJudging("rebuttal", { ...sizes, profile: "lot" }, 7),
  ];
  expect(learnt["withType"]).toBeGreaterThan((lot["withType"] as number) + 0.1);
  expect(learnt["correlation"]).toBeGreaterThan((lot["correlation"] as number) + 0.2);
  // What both do not touch is the same.
  expect(lot["direct"]).toBe(learnt["direct"]);
  expect(learnt["direct"]).toBeGreaterThan(learnt["withType"] as number);
}, 120_000);
