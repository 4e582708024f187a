import { expect, test } from "vitest";
import { lookUp, nearest } from "./registry.ts";

const table = { "dr-grpo": 1, grpo: 2, rloo: 3 };

test("finds the entry, and names the nearest and all known ones when it is not there", () => {
  expect(lookUp(table, "grpo", "credit method")).toBe(2);
  expect(() => lookUp(table, "grop", "credit method")).toThrow(
    'No credit method "grop". Did you mean "grpo"? Known: dr-grpo, grpo, rloo.',
  );
  expect(() => lookUp(table, "quaternion", "credit method")).toThrow(
    'No credit method "quaternion". Known: dr-grpo, grpo, rloo.',
  );
});

test("inherited names are not entries", () => {
  expect(() => lookUp(table, "toString", "entry")).toThrow(/No entry "toString"/);
  expect(() => lookUp({}, "__proto__", "entry")).toThrow(/Known: none/);
});

test("a slip is one insertion, deletion, replacement or swap in three letters; a long beginning counts too", () => {
  expect(nearest("imprt", ["import", "export"])).toBe("import");
  expect(nearest("sqll", ["sql", "skills"])).toBe("sql");
  expect(nearest("SHOW", ["show"])).toBe("show");
  expect(nearest("comp", ["compact", "catalog"])).toBe("compact");
  expect(nearest("xyz", ["show", "sql"])).toBeUndefined();
});
