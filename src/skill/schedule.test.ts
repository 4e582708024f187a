import { expect, test } from "vitest";
import { scheduleWarning, teacherSchedule } from "./schedule.ts";

test("starts after one step and stops after another", () => {
  const options = { startAfter: 10, stopAfter: 50 };
  const on = Array.from({ length: 60 }, (_, at) => at + 1).filter((step) => teacherSchedule(step, options).teacherOn);
  expect(on).toEqual(Array.from({ length: 40 }, (_, at) => at + 11));
});

test("without limits it is always on, for all episodes", () => {
  expect(teacherSchedule(1)).toEqual({ teacherOn: true, failedOnly: false });
  expect(teacherSchedule(1, { startAfter: null, stopAfter: null, failedOnly: true })).toEqual({
    teacherOn: true,
    failedOnly: true,
  });
});

test("failedOnlyAfter overrides the flag", () => {
  expect(teacherSchedule(100, { failedOnlyAfter: 100, failedOnly: true }).failedOnly).toBe(false);
  expect(teacherSchedule(101, { failedOnlyAfter: 100 }).failedOnly).toBe(true);
});

test("a schedule that never runs is told", () => {
  expect(scheduleWarning({ startAfter: 50, stopAfter: 50 })).toMatch(/never speaks/);
  expect(scheduleWarning({ startAfter: 10, stopAfter: 50 })).toBeUndefined();
  expect(scheduleWarning({ startAfter: 10, stopAfter: null })).toBeUndefined();
  expect(teacherSchedule(50, { startAfter: 50, stopAfter: 50 }).teacherOn).toBe(false);
});
