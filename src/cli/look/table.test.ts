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

test("takes room from the widest column first and never exceeds the width; the last column goes on below", () => {
  const lines = tableLines([{ title: "id" }, { title: "text" }], [["abc", "some words and a few more"]], {
    style,
    width: 20,
  });
  expect(lines).toEqual(["id   text", "───  ───────────────", "abc  some words and", "     a few more"]);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(20);
});

test("words before the last column are cut, numbers never", () => {
  const columns = [
    { title: "goal" },
    { title: "success", align: "right" },
    { title: "tokens", align: "right" },
  ] as const;
  const row = ["put some tissuebox on the sidetable", "0.141 [0.071, 0.263]", "1,234,567"];
  expect(tableLines(columns, [row], { style, width: 45 })).toEqual([
    "goal                       success     tokens",
    "────────────  ────────────────────  ─────────",
    "put some ti…  0.141 [0.071, 0.263]  1,234,567",
  ]);
  // Where the numbers alone are wider than the terminal, the terminal folds them; nothing is lost.
  expect(tableLines(columns, [row], { style, width: 20 })[2]).toBe("put som…  0.141 [0.071, 0.263]  1,234,567");
});

test("a last cell without end is cut at some length", () => {
  const lines = tableLines([{ title: "text" }], [["x".repeat(1_000_000)]], { style, width: 40 });
  expect(lines).toHaveLength(2 + 50);
});

test("cleans cells before it colours them", () => {
  const colours = createStyle(true);
  const [, , row] = tableLines([{ title: "a", paint: colours.red }], [["\u001b[5mblink"]], { style: colours });
  expect(row).toBe("\u001b[31m\\x1b[5mblink\u001b[39m");
});
