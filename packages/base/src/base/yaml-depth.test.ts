import { expect, test } from "vitest";
import { isTooDeep } from "./yaml-depth.ts";

test.each([
  "- ".repeat(50),
  `a: ${"[".repeat(50)}`,
  "{ ".repeat(60),
  `a:\n  ${"- ".repeat(50_000)}`,
  `a: ${'{"a":'.repeat(60)}`,
])("deep", (text) => {
  expect(isTooDeep(text)).toBe(true);
});

test.each([
  "- ".repeat(49),
  "-".repeat(500),
  "a: [1, [2, [3]]]\n".repeat(100),
  "a: ] } [x]\n".repeat(100),
  ": ".repeat(10),
])("not deep", (text) => {
  expect(isTooDeep(text)).toBe(false);
});
