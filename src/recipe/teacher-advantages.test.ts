import { expect, test } from "vitest";
import { teacherAdvantages } from "./teacher-advantages.ts";

test("the shift of every taught token, times the coefficient; 0 elsewhere", () => {
  const row = {
    ids: new Int32Array(5),
    mask: Uint8Array.of(0, 1, 1, 1, 1),
    teacherMask: Uint8Array.of(0, 1, 1, 1, 0),
    oldLogprobs: Float64Array.of(0, -1, -0.2, -3, -1),
    teacherLogprobs: Float64Array.of(0, -0.7, -0.9, -3, 0),
  };
  // methods.md 4.1: A = 0.3, -0.7, 0.
  const [half] = teacherAdvantages([row], 0.5);
  expect([...(half?.advantages ?? [])]).toEqual([0, 0.15, -0.35, 0, 0].map((one) => expect.closeTo(one, 12)));
  const { teacherLogprobs: _gone, ...plain } = row;
  expect([...(teacherAdvantages([plain], 1)[0]?.advantages ?? [])]).toEqual([0, 0, 0, 0, 0]);
});
