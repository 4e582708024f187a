import { expect, test } from "vitest";
import { lineChart, short, ticks } from "./chart.ts";

test("ticks are round numbers inside the range", () => {
  expect(ticks(0, 1, 4)).toEqual([0, 0.5, 1]);
  expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(ticks(3, 47, 6)).toEqual([10, 20, 30, 40]);
  expect(ticks(-0.021, 0.013, 3)).toEqual([-0.02, 0]);
});

test("numbers are short", () => {
  expect([0, 0.25, 1234.5, 1e-5, 2e6, Number.NaN].map(short)).toEqual(["0", "0.25", "1230", "1.0e-5", "2.0e+6", "–"]);
});

const options = { title: "Success", xLabel: "update", yLabel: "share", range: [0, 1] as const };

test("points lie where their numbers say", () => {
  // Width 680: x runs from 46 to 668, so 5 of 0..10 lies at 357. Height 260: y runs from 226 (0) to 10 (1), 0.5 at 118.
  const points = [0, 5, 10].map((x) => ({ x, y: x / 10 }));
  const { html } = lineChart([{ label: "a", points, style: 0 }], options);
  expect(html).toContain('points="46,226 357,118 668,10"');
  expect(html).not.toContain("legend");
});

test("bands, dots, several runs and one lonely point", () => {
  const band = [0, 1].map((x) => ({ x, low: 0.25, high: 0.75 }));
  const points = [0, 1].map((x) => ({ x, y: 0.5 }));
  const { html } = lineChart(
    [
      { label: "<one>", points, band, style: 0 },
      { label: "two", points: [{ x: 0.5, y: 0.5 }], dots: true, style: 1 },
    ],
    options,
  );
  expect(html).toContain('<polygon class="band s0" points="46,64 668,64 668,172 46,172"/>');
  expect(html).toContain("&lt;one&gt;");
  expect(html.match(/<circle class="dot s1"/g)).toHaveLength(2);
  const lonely = lineChart([{ label: "a", points: [{ x: 3, y: 0 }], style: 0 }], { ...options, range: [0, 1] });
  expect(lonely.html).not.toContain("NaN");
});

test("without numbers it says so", () => {
  expect(lineChart([{ label: "a", points: [], style: 0 }], options).html).toContain("nothing was recorded");
});
