import { expect, test } from "vitest";
import { sameNumbers } from "./support/same-numbers.ts";

test("the same bits are equal; everything else is left to the usual comparison", () => {
  const three = Float32Array.of(1, Number.NaN, -0);
  expect(sameNumbers(three, three.slice())).toBe(true);
  expect(sameNumbers(three.subarray(1), Float32Array.of(0, Number.NaN, -0).subarray(1))).toBe(true);
  for (const other of [Float32Array.of(1, Number.NaN, 0), three.subarray(1), new Uint8Array(12), [...three], undefined])
    expect(sameNumbers(three, other)).toBe(undefined);
  // Equal bytes of another kind of numbers.
  expect(sameNumbers(new Float32Array(2), new Int32Array(2))).toBe(undefined);
});

test("equal and unequal numbers are told apart as ever", () => {
  expect({ weights: [Float32Array.of(1, 2)] }).toEqual({ weights: [Float32Array.of(1, 2)] });
  expect({ weights: [Float32Array.of(1, 2)] }).not.toEqual({ weights: [Float32Array.of(1, 2.5)] });
  expect(Float32Array.of(1, -0)).not.toEqual(Float32Array.of(1, 0));
  expect(Float32Array.of(Number.NaN)).toStrictEqual(Float32Array.of(Number.NaN));
  expect(Float32Array.of(1)).not.toStrictEqual(Float64Array.of(1));
  expect(new Float32Array(2)).not.toStrictEqual(new Int32Array(2));
});
