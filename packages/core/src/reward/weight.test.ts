import { expect, test } from "vitest";
import { checkWeight, weightAt } from "./weight.ts";

test("a weight that changes goes in straight lines, and stays before the first and after the last", () => {
  const weight = { 10: 1, 20: 0.5, 40: 0 };
  // Between 20 and 40 it falls by 0.025 for each update: at 30 it is 0.25.
  expect([0, 10, 15, 20, 30, 40, 99].map((update) => weightAt(weight, update))).toEqual([1, 1, 0.75, 0.5, 0.25, 0, 0]);
  expect(weightAt(weight)).toBe(0);
  expect(weightAt(0.3, 5)).toBe(0.3);
  // As a file orders it does not matter.
  expect(weightAt({ 40: 0, 10: 1 }, 25)).toBe(0.5);
});

test("what is no update is refused by name", () => {
  expect(() => checkWeight("form", { first: 1 })).toThrow('The weight of "form" names the update "first".');
  expect(() => checkWeight("form", {})).toThrow("names no update");
  expect(() => checkWeight("form", { "-1": 1 })).toThrow('"-1"');
  checkWeight("form", { 0: 1 });
  checkWeight("form", undefined);
});
