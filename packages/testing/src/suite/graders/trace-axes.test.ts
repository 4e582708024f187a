import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { axesOf, measuresOf, traceAxes } from "./trace-axes.ts";

const call = (name: string, value = 1): string => JSON.stringify({ name, arguments: { value } });
const run = (lines: readonly string[], violations: readonly number[] = []): Trajectory =>
  ({
    ending: "terminated",
    steps: lines.map((action, at) => ({ action, info: violations.includes(at) ? { violations: ["rule"] } : {} })),
  }) as unknown as Trajectory;
const gold = ["Who?", call("find"), call("read"), "It is 24.50 and 3.25."];

test("the right run is 1 in all nine", () => {
  expect(new Set(Object.values(measuresOf(run(gold), gold)))).toEqual(new Set([1]));
});

test("nine measures by hand", () => {
  // One needed tool of two; of two calls the one is right and the other has other arguments; one call too many; "Who?" again; a rule.
  const lines = ["Who?", "Who?", call("find"), call("find"), call("find", 2), "It is 24.50."];
  expect(measuresOf(run(lines, [4]), gold)).toEqual({
    tools: 1 / 2,
    calls: 1 / 2,
    arguments: 1 / 2,
    fresh: 1 - 1 / 3,
    lean: 2 / 3,
    heard: 1 - 1 / 3,
    rules: 1 - 1 / 6,
    figures: 1 / 2,
    closed: 1,
  });
  const axes = axesOf(run(lines, [4]), gold);
  expect(axes.actions).toBeCloseTo(0.5);
  expect(axes.efficiency).toBeCloseTo(2 / 3);
  expect(axes.process).toBeCloseTo(0.75);
  expect(axes.output).toBeCloseTo(0.75);
});

test("an answer that is no list of texts is refused", () => {
  expect(traceAxes.check?.(4, {})).toContain("list of texts");
});
