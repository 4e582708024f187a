import { expect, test } from "vitest";
import { allowedValues, parseOption, resolveOptions } from "./options.ts";

const table = { source: { kind: "text", default: null, meaning: "where it is" } } as const;

test("a text is taken as it is, or left out", () => {
  expect(resolveOptions(table, {}, "it")).toEqual({ source: null });
  expect(resolveOptions(table, { source: "a folder" }, "it")).toEqual({ source: "a folder" });
  expect(parseOption(table, "source", "tinker http://x:1", "it")).toBe("tinker http://x:1");
  expect(parseOption(table, "source", "none", "it")).toBeNull();
  expect(allowedValues(table.source)).toBe("a text, or none");
});

test("a blank text and other values are refused", () => {
  for (const source of [" ", 1, true]) {
    expect(() => resolveOptions(table, { source }, "it")).toThrow(/Option source of it is .*it takes a text, or none/);
  }
});
