import fc from "fast-check";
import { expect, test } from "vitest";
import { forest } from "../../../../../test/support/forests.ts";
import { kitchen } from "../../../../../test/support/sample-store.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createStyle } from "../look/style.ts";
import { textWidth } from "../look/text-width.ts";
import { trajectoryLines, type ShowOptions } from "./trajectory-lines.ts";

const plain: ShowOptions = { style: createStyle(false), columns: 60, full: false, tokens: true };
const lines = (trajectory: Trajectory, options: Partial<ShowOptions> = {}): string[] =>
  trajectoryLines({ run: "r", trajectory, branches: [] }, { ...plain, ...options });

test("property: whatever a trajectory holds, no line carries a control character or is too wide", () => {
  fc.assert(
    fc.property(forest, fc.boolean(), (trajectories, full) => {
      for (const line of trajectories.flatMap((trajectory) => lines(trajectory, { full }))) {
        // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        expect(textWidth(line)).toBeLessThanOrEqual(60);
      }
    }),
    { numRuns: tries(25, 60) },
  );
});

test("long texts are folded to the width and clipped unless all is wanted", () => {
  const [step] = kitchen.steps;
  const long = { ...kitchen, steps: [{ ...step!, observation: "word ".repeat(400).trim() }] };
  const clipped = lines(long).filter((line) => line.startsWith("│ "));
  // 58 columns hold 11 words of 5 with their blanks; 6 lines and the remark, then the closing line.
  expect(clipped.slice(0, 7)).toEqual([
    ...Array.from({ length: 6 }, () => `│ ${"word ".repeat(11).trim()}`),
    "│ … 1,999 characters in all; --full shows them",
  ]);
  const whole = lines(long, { full: true }).filter((line) => line.startsWith("│ word"));
  expect(whole).toHaveLength(Math.ceil(400 / 11));
  for (const line of lines(long)) expect(textWidth(line)).toBeLessThanOrEqual(60);
});

test("a megabyte on one line is clipped quickly", () => {
  const [step] = kitchen.steps;
  const huge = {
    ...kitchen,
    steps: [{ ...step!, observation: "東".repeat(1_000_000), action: "x".repeat(1_000_000) }],
  };
  expect(lines(huge).length).toBeLessThan(40);
});

test("tokens without log-probabilities show ids only; a step without tokens says so", () => {
  const [first, second] = kitchen.steps;
  const { span: _, ...spanless } = second!;
  const shown = lines({
    ...kitchen,
    steps: [first!, spanless],
    streams: [{ ids: Int32Array.of(1, 2, 30, 31), mask: Uint8Array.of(0, 0, 1, 1) }],
  });
  expect(shown).toContain("# 30 31");
  expect(shown).toContain("# no tokens recorded");
});
