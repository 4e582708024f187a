import { expect, test } from "vitest";
import { lineChart, stackedBars, ticks } from "./chart.ts";
import { duration, percent, plural, shortNumber, withSign } from "./numbers.ts";

test("ticks are round numbers inside the range", () => {
  expect(ticks(0, 1, 4)).toEqual([0, 0.5, 1]);
  expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(ticks(3, 47, 6)).toEqual([10, 20, 30, 40]);
  expect(ticks(-0.021, 0.013, 3)).toEqual([-0.02, 0]);
});

test("numbers are short", () => {
  expect([0, 0.25, 1234.5, 1e-5, 2e6, Number.NaN].map(shortNumber)).toEqual([
    "0",
    "0.25",
    "1230",
    "1.0e-5",
    "2.0e+6",
    "–",
  ]);
  expect([0.125, -0.125, -0.001, Number.NaN].map((value) => withSign(value))).toEqual(["+0.13", "−0.13", "+0.00", "–"]);
  expect([0.345, 1, Number.NaN].map(percent)).toEqual(["35%", "100%", "–"]);
  expect([59.6, 150, 7_300].map(duration)).toEqual(["60 s", "2 min 30 s", "2 h 1 min"]);
  expect([plural(1, "step"), plural(1_200, "step")]).toEqual(["1 step", "1,200 steps"]);
});

const options = { title: "Success", xLabel: "update", range: [0, 1] as const };

test("points lie where their numbers say", () => {
  // Width 720: x runs from 48 to 706, so 5 of 0..10 lies at 377. Height 280: y runs from 244 (0) to 12 (1), 0.5 at 128.
  const points = [0, 5, 10].map((x) => ({ x, y: x / 10 }));
  const { html } = lineChart([{ label: "a", points, style: 0 }], options);
  expect(html).toContain('points="48,244 377,128 706,12"');
  expect(html).not.toContain("legend");
});

test("bands where points are joined, whiskers where they are not, and a legend", () => {
  const intervals = [0, 1].map((x) => ({ x, low: 0.25, high: 0.75 }));
  const points = [0, 1].map((x) => ({ x, y: 0.5 }));
  const { html } = lineChart(
    [
      { label: "<one>", points, intervals, style: 0 },
      { label: "two", points, intervals, marks: "dots", style: 1 },
    ],
    options,
  );
  // 0.75 lies at 244 - 0.75 * 232 = 70, 0.25 at 186. The whiskers of the second run stand 12 inside.
  expect(html).toContain('<polygon class="band s0" points="48,70 706,70 706,186 48,186"/>');
  expect(html).toContain('<line class="whisker s1" x1="694" x2="694" y1="186" y2="70"/>');
  expect(html).toContain("&lt;one&gt;");
  expect(html.match(/<polyline/g)).toHaveLength(1);
  // Two points and the one of the legend.
  expect(html.match(/<circle class="dot s1"/g)).toHaveLength(3);
});

test("one lonely point is a dot; without numbers it says so", () => {
  const lonely = lineChart([{ label: "a", points: [{ x: 3, y: 0 }], style: 5 }], { ...options, range: [0, 1] }).html;
  expect(lonely).not.toContain("NaN");
  expect(lonely).toContain('<circle class="dot s1" cx="377"');
  expect(lineChart([{ label: "a", points: [], style: 0 }], options).html).toContain("nothing was recorded");
});

test("bars stand on each other", () => {
  const layers = [
    { label: "play", values: [1, 2] },
    { label: "learn", values: [3, 2] },
  ];
  const { html } = stackedBars({ title: "Seconds", xLabel: "update", at: [1, 2], layers });
  // Height 240: 192 for 4 seconds, so 48 for one; from 204 up.
  const heights = [...html.matchAll(/<rect class="p(\d)"[^>]* y="([\d.]+)"[^>]* height="([\d.]+)"/g)];
  expect(heights.map(([, layer, top, height]) => [layer, top, height].map(Number))).toEqual([
    [0, 156, 48],
    [1, 12, 144],
    [0, 108, 96],
    [1, 12, 96],
  ]);
});
