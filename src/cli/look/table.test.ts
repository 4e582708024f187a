import { expect, test } from "vitest";
import { createStyle } from "./style.ts";
import { tableLines } from "./table.ts";
import { textWidth } from "./text-width.ts";

const style = createStyle(false);

test("aligns text left and numbers right", () => {
  const lines = tableLines(
    [{ title: "name" }, { title: "n", align: "right" }, { title: "last" }],
    [
      ["東京", "7", "a"],
      ["oslo!", "1,000", ""],
    ],
    { style },
  );
  expect(lines).toEqual(["name       n  last", "─────  ─────  ────", "東京       7  a", "oslo!  1,000"]);
});

test("takes room from the widest column first and never exceeds the width", () => {
  const lines = tableLines([{ title: "id" }, { title: "text" }], [["abc", "x".repeat(100)]], { style, width: 20 });
  expect(lines).toEqual(["id   text", "───  ───────────────", `abc  ${"x".repeat(14)}…`]);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(20);
});

test("cleans cells before it colours them", () => {
  const colours = createStyle(true);
  const [, , row] = tableLines([{ title: "a", paint: colours.red }], [["\u001b[5mblink"]], { style: colours });
  expect(row).toBe("\u001b[31m\\x1b[5mblink\u001b[39m");
});
