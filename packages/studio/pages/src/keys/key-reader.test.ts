import { expect, test } from "vitest";
import { createKeyReader } from "./key-reader.ts";

const KNOWN = ["?", "g r", "g t", "j"];

test("one key, or two after each other", () => {
  const read = createKeyReader();
  expect(read("j", 0, KNOWN)).toBe("j");
  expect(read("g", 100, KNOWN)).toBeUndefined();
  expect(read("t", 300, KNOWN)).toBe("g t");
  expect(read("t", 400, KNOWN)).toBeUndefined();
});

test("a first key is forgotten after a moment, or when another follows that leads nowhere", () => {
  const read = createKeyReader();
  read("g", 0, KNOWN);
  expect(read("r", 5_000, KNOWN)).toBeUndefined();
  read("g", 6_000, KNOWN);
  expect(read("j", 6_100, KNOWN)).toBe("j");
  expect(read("r", 6_200, KNOWN)).toBeUndefined();
});
