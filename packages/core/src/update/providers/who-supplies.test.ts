import { expect, test } from "vitest";
import { EngineError } from "limbeck-base/base/errors";
import { needs, type Need } from "../../credit/needs.ts";
import { providers } from "./index.ts";
import { whoSupplies, withSupplier } from "./who-supplies.ts";

test("every need has somebody who supplies it", () => {
  const without = (Object.keys(needs) as Need[]).filter((need) => whoSupplies(need).length < 10);
  expect(without).toEqual([]);
  const supplied = Object.entries(providers).flatMap(([id, { supplies }]) =>
    supplies.map((need) => [need, id] as const),
  );
  expect(supplied.length).toBeGreaterThan(10);
  for (const [need, id] of supplied) expect([need, whoSupplies(need)]).toEqual([need, `the provider ${id}`]);
  const named = (Object.keys(needs) as Need[]).filter((need) => whoSupplies(need).startsWith("the provider "));
  expect(named.toSorted()).toEqual(supplied.map(([need]) => need).toSorted());
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
