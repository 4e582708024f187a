import { expect, test } from "vitest";
import { splitWords, stepsOf } from "./run-words.ts";

const cost = { environmentSteps: 2_055, sampledTokens: null, modelTokens: null, seconds: null, usd: null };

test("the steps of a training are those it was trained on, not those it stored", () => {
  const run = { kind: "train", updates: { done: 3, planned: 3 }, steps: 2_842, cost };
  expect(stepsOf(run)).toEqual({ label: "Environment steps trained on", value: "2,055" });
  const played = { kind: "rollout", updates: null, steps: 40, cost: { ...cost, environmentSteps: null } };
  expect(stepsOf(played)).toEqual({ label: "Environment steps", value: "40" });
});

test("a success says of which tasks it is", () => {
  expect([splitWords("train"), splitWords("test"), splitWords("valid")]).toEqual([
    "train split",
    "held-out (test)",
    "held-out (valid)",
  ]);
});
