import { expect, test } from "vitest";
import { groupedBy } from "./grouped-by.ts";

test("items by key, in the order of their first appearance; those without a key are left out", () => {
  const found = groupedBy(["bee", "ant", "bat", "", "asp"], (word) => word[0]);
  expect([...found]).toEqual([
    ["b", ["bee", "bat"]],
    ["a", ["ant", "asp"]],
  ]);
  expect([...groupedBy([7, 8, 9], (_, at) => at % 2).values()]).toEqual([[7, 9], [8]]);
  expect(groupedBy([], String).size).toBe(0);
});
