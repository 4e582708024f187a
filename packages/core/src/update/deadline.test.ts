import { expect, test } from "vitest";
import { createDeadline, isTimeUp } from "./deadline.ts";

test("time is counted from the beginning, and ends the work when it is up", () => {
  let now = 5_000;
  const deadline = createDeadline({ seconds: 2 }, () => now);
  expect(deadline?.left()).toBe(2);
  now = 6_999;
  deadline?.check();
  expect(deadline?.left()).toBeCloseTo(0.001, 9);
  now = 7_000;
  expect(deadline?.left()).toBe(0);
  let thrown: unknown;
  try {
    deadline?.check();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: "budget", message: "The budget of 2 seconds is spent." });
  expect(isTimeUp(thrown, deadline)).toBe(true);
  expect(isTimeUp(new Error("another"), deadline)).toBe(false);
});

test("no budget is no deadline, and nonsense is refused", () => {
  expect(createDeadline({}, () => 0)).toBeUndefined();
  expect(() => createDeadline({ seconds: Number.NaN }, () => 0)).toThrow("not a number of at least 0");
});
