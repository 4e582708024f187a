import { expect, test } from "vitest";
import { EngineError } from "../../base/errors.ts";
import { needs, type Need } from "../../credit/needs.ts";
import { whoSupplies, withSupplier } from "./who-supplies.ts";

test("every need has somebody who supplies it", () => {
  const without = (Object.keys(needs) as Need[]).filter((need) => whoSupplies(need) === "nobody yet");
  expect(without).toEqual([]);
  expect(whoSupplies("greedyScore")).toBe("the provider greedy-rollout");
  expect(whoSupplies("states")).toBe("an environment with state keys");
});

test("an unmet need says who supplies it; other errors stay as they are", () => {
  const unmet = new EngineError("needs-unmet", "ReMax needs a score.", { details: { need: "greedyScore", row: 1 } });
  expect(withSupplier(unmet)).toMatchObject({
    code: "needs-unmet",
    message:
      "ReMax needs a score. In a training (limbeck train --credit NAME) it comes from the provider greedy-rollout.",
    details: { need: "greedyScore", row: 1, supplier: "the provider greedy-rollout" },
  });
  const world = new EngineError("needs-unmet", "No tools.", { details: { need: "weather" } });
  expect(withSupplier(world)).toBe(world);
  const other = new Error("no");
  expect(withSupplier(other)).toBe(other);
});
