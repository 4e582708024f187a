import { expect, test } from "vitest";
import { createStyle, wantsColour } from "./style.ts";

test("colours only where they are wanted", () => {
  const want = (env: Record<string, string>, terminal: boolean, noColour = false): boolean =>
    wantsColour({ env, terminal, noColour });
  expect(want({}, true)).toBe(true);
  expect(want({}, false)).toBe(false);
  expect(want({ NO_COLOR: "1" }, true)).toBe(false);
  expect(want({ NO_COLOR: "" }, true)).toBe(true);
  expect(want({ FORCE_COLOR: "1" }, false)).toBe(true);
  expect(want({ FORCE_COLOR: "0" }, true)).toBe(false);
  expect(want({ FORCE_COLOR: "1", NO_COLOR: "1" }, true)).toBe(false);
  expect(want({ FORCE_COLOR: "1" }, true, true)).toBe(false);
  expect(want({ TERM: "dumb" }, true)).toBe(false);
});

test("plain style changes nothing", () => {
  expect(createStyle(false).red("x")).toBe("x");
  expect(createStyle(true).bold("x")).toBe("\u001b[1mx\u001b[22m");
});
