import { expect, test } from "vitest";
import { callSimilarity } from "./call-similarity.ts";

const gold = { name: "search", arguments: { query: "mug", k: 2 } };

test("names, parameters and values each count", () => {
  // All: (1 + 1 + 2) / 4. One value wrong: (1 + 1 + 1) / 4. Only query: (1 + 1/2 + 1) / 4. Nothing: 1 / 4.
  expect(callSimilarity({ name: "Search", arguments: { k: 2, query: "mug" } }, gold)).toBe(1);
  expect(callSimilarity({ name: "search", arguments: { query: "mug", k: 3 } }, gold)).toBe(0.75);
  expect(callSimilarity({ name: "search", arguments: { query: "mug" } }, gold)).toBe(0.625);
  expect(callSimilarity({ name: "search", arguments: {} }, gold)).toBe(0.25);
});

test("other names and arguments that could not be parsed are nothing alike", () => {
  expect(callSimilarity({ name: "find", arguments: gold.arguments }, gold)).toBe(0);
  expect(callSimilarity({ name: "search", arguments: null }, gold)).toBe(0);
  expect(callSimilarity({ name: "search", arguments: "{query" }, gold)).toBe(0);
});

test("calls without parameters, and objects whose keys stand in another order", () => {
  expect(callSimilarity({ name: "list", arguments: {} }, { name: "list", arguments: {} })).toBe(1);
  const nested = (first: string, second: string) => ({ name: "f", arguments: { x: { [first]: 1, [second]: 1 } } });
  expect(callSimilarity(nested("a", "b"), nested("b", "a"))).toBe(1);
});
