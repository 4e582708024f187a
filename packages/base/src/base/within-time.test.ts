import { expect, test } from "vitest";
import { withinTime } from "./within-time.ts";

const late = (): Error => new Error("too late");

test("a pattern that tries for ever is ended, and what is done afterwards is not harmed", () => {
  const text = `${"a".repeat(60)}!`;
  expect(() => withinTime(20, () => /^(?:a|a)*$/u.test(text), late)).toThrow("too late");
  expect(withinTime(1_000, () => /^a+!$/u.test(text), late)).toBe(true);
});

test("results and errors are the call's own, also of a call within a call", () => {
  expect(withinTime(1_000, () => withinTime(1_000, () => 7, late) + 1, late)).toBe(8);
  const thrown = new RangeError("own");
  expect(() =>
    withinTime(
      1_000,
      () => {
        throw thrown;
      },
      late,
    ),
  ).toThrow(thrown);
});
