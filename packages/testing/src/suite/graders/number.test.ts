import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";
import { numberIn } from "./number.ts";

test("the number behind the marker goes before the last one, and commas are read over", () => {
  expect(numberIn("3 eggs and 4: #### 1,234.5 (of 9)", "####")).toBe(1234.5);
  expect(numberIn("first 3, then -7.", "####")).toBe(-7);
  expect(numberIn("#### 5\n#### 6", "####")).toBe(6);
  expect(numberIn("1e3 of 2", "")).toBe(2);
  expect(numberIn("none", "####")).toBeUndefined();
  // A marker without a number behind it says nothing, whatever stands before it.
  expect(numberIn("7 ####", "####")).toBeUndefined();
});

test("it is right within so much", async () => {
  expect(await scoreOf("number", finished(["It is 4"], 4))).toBe(1);
  expect(await scoreOf("number", finished(["It is 5"], 4))).toBe(0);
  expect(await scoreOf({ use: "number", options: { within: 1 } }, finished(["It is 5"], 4))).toBe(1);
  expect(await scoreOf("number", finished(["none"], 4))).toBe(0);
  expect(await scoreOf("number", finished([], 4))).toBe(0);
  expect(await scoreOf("number", finished(["4"], "four"))).toContain("has to be a number");
});
