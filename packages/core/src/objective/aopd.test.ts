import { expect, test } from "vitest";
import { computeTaught, logs, STUDENT, TEACHER } from "../../../../test/support/taught-rows.ts";
import { aopd } from "./aopd.ts";

const lpS = [-1, -0.2, -3];
const lpT = [-0.7, -0.9, -3];
const words = {
  now: [logs([0.4, 0.4, 0.2]), logs(STUDENT), logs([0.6, 0.3, 0.1])],
  teacher: [logs([0.1, 0.1, 0.8]), logs(TEACHER), logs([0.6, 0.3, 0.1])],
};

test("one token reinforced, one pulled, one that agrees already", () => {
  // a = 0.3, -0.7, 0. The first: -0.3 * 1. The second: 0.096901. The third: 0.
  const { loss, onSampled, metrics } = computeTaught(aopd.create(), { now: lpS, old: lpS, teacher: lpT, words });
  expect(loss).toBeCloseTo(-0.0677, 5);
  expect(onSampled[0]).toBeCloseTo(-0.1, 6);
  expect(onSampled.slice(1)).toEqual([0, 0]);
  expect(metrics["positive"]).toBeCloseTo(1 / 3, 9);
});

test("all tokens positive: plain OPD, whatever the candidates", () => {
  const teacher = [-0.5, -0.1, -2];
  const { loss } = computeTaught(aopd.create(), { now: lpS, old: lpS, teacher, words });
  // 0.5 + 0.1 + 1.
  expect(loss).toBeCloseTo(-1.6 / 3, 9);
});

test("a shift of 0 belongs to those that are pulled, and a large one is limited", () => {
  const same = computeTaught(aopd.create(), { now: lpS, old: lpS, teacher: lpS, words });
  expect(same.metrics["positive"]).toBe(0);
  expect(same.loss).toBeGreaterThan(0);
  const far = computeTaught(aopd.create(), { now: [-9], old: [-9], teacher: [-1] });
  expect(far.loss).toBe(-5);
});
