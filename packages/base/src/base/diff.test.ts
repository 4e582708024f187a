import { expect, test } from "vitest";
import { diffLines } from "./diff.ts";

const said = (before: string | undefined, after: string | undefined): string =>
  diffLines(before, after)
    .map(({ kind, text }) => `${{ same: " ", gone: "-", new: "+", cut: "~" }[kind]}${text}`)
    .join("|");

test("lines that leave and come, with two around them", () => {
  expect(said(undefined, "a\nb\n")).toBe("+a|+b");
  expect(said("a\nb\n", undefined)).toBe("-a|-b");
  expect(said("a\nb\nc\n", "a\nx\nc\n")).toBe(" a|-b|+x| c");
  expect(said("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n7\n")).toBe("~| 5| 6|+7");
  expect(said("a\nb\nc\nd\n", "b\nx\nd\n")).toBe("-a| b|-c|+x| d");
  expect(said("same\n", "same\n")).toBe("~");
});
