import { expect, test } from "vitest";
import { wordF1 } from "./word-f1.ts";

test("words that are shared, over words of both", () => {
  // {the, red, mug} and {red, mug}: 2 * 2 / 5.
  expect(wordF1("The red mug.", "red mug")).toBe(0.8);
  expect(wordF1("", "red")).toBe(0);
  expect(wordF1("", "")).toBe(1);
});
