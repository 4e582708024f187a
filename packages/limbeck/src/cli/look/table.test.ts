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
  // Where the numbers alone are wider than the terminal, a row becomes a block.
  expect(tableLines(columns, [row, ["b", "", "7"]], { style, width: 30 })).toEqual([
    "put some tissuebox on the sidetable",
    "  success  0.141 [0.071,",
    "           0.263]",
    "  tokens   1,234,567",
    "",
    "b",
    "  tokens   7",
  ]);
});

test("a number is never cut, in whatever column it stands", () => {
  const columns = [
    { title: "arm" },
    { title: "area" },
    { title: "at the end" },
    { title: "rating", align: "right" },
  ] as const;
  const row = ["opid", "0.193 (2 seeds)", "0.260 (2 seeds)", "60 [-103, 302]"];
  expect(tableLines(columns, [row], { style, width: 56 })[2]).toBe(
    "opid  0.193 (2 seeds)  0.260 (2 seeds)  60 [-103, 302]",
  );
  expect(tableLines(columns, [row], { style, width: 40 })).toEqual([
    "opid",
    "  area        0.193 (2 seeds)",
    "  at the end  0.260 (2 seeds)",
    "  rating      60 [-103, 302]",
  ]);
  // A number in front has its name beside it.
  const settings = [{ title: "rate", align: "right" }, { title: "success" }] as const;
  expect(tableLines(settings, [["0.001", "0.500 [0.400, 0.600]"]], { style, width: 12 })[0]).toBe("rate 0.001");
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
