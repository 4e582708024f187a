import { expect, test } from "vitest";
import { scheduleWarning, teacherSchedule } from "./schedule.ts";

test("starts after one step and stops after another", () => {
  const options = { startAfter: 10, stopAfter: 50 };
  const on = Array.from({ length: 60 }, (_, at) => at + 1).filter((step) => teacherSchedule(step, options).teacherOn);
  expect(on).toEqual(Array.from({ length: 40 }, (_, at) => at + 11));
});

test("without limits it is always on, for all episodes", () => {
  expect(teacherSchedule(1)).toEqual({ teacherOn: true, failedOnly: false, share: 1 });
  expect(teacherSchedule(1, { startAfter: null, stopAfter: null, failedOnly: true })).toEqual({
    teacherOn: true,
    failedOnly: true,
    share: 1,
  });
});

test("failedOnlyAfter overrides the flag", () => {
  expect(teacherSchedule(100, { failedOnlyAfter: 100, failedOnly: true }).failedOnly).toBe(false);
  expect(teacherSchedule(101, { failedOnlyAfter: 100 }).failedOnly).toBe(true);
});

test("fades evenly from its first step on, and is off when nothing is left", () => {
  const shares = (options: object): number[] =>
    [1, 2, 3, 4, 5, 6, 7].map((step) => teacherSchedule(step, { fadeOver: 4, ...options }).share);
  expect(shares({})).toEqual([1, 0.75, 0.5, 0.25, 0, 0, 0]);
  // Steps before it speaks do not count.
  expect(shares({ startAfter: 2 })).toEqual([1, 1, 1, 0.75, 0.5, 0.25, 0]);
  expect(teacherSchedule(4, { fadeOver: 4 }).teacherOn).toBe(true);
  expect(teacherSchedule(5, { fadeOver: 4 }).teacherOn).toBe(false);
  expect(teacherSchedule(2, { fadeOver: 4, startAfter: 2 }).teacherOn).toBe(false);
});

test("every third step, counted from the first at which it may speak", () => {
  const on = (options: object): number[] =>
    [1, 2, 3, 4, 5, 6, 7, 8].filter((step) => teacherSchedule(step, { teachEvery: 3, ...options }).teacherOn);
  expect(on({})).toEqual([1, 4, 7]);
  expect(on({ startAfter: 2, stopAfter: 7 })).toEqual([3, 6]);
});

test("a schedule that never runs is told", () => {
  expect(scheduleWarning({ startAfter: 50, stopAfter: 50 })).toMatch(/never speaks/);
  expect(scheduleWarning({ startAfter: 10, stopAfter: 50 })).toBeUndefined();
  expect(scheduleWarning({ startAfter: 10, stopAfter: null })).toBeUndefined();
  expect(teacherSchedule(50, { startAfter: 50, stopAfter: 50 }).teacherOn).toBe(false);
});
