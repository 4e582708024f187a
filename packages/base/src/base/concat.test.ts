import { expect, test } from "vitest";
import { concat } from "./concat.ts";

test("parts stand one after the other, in an array of their own", () => {
  const [first, last] = [Int32Array.of(1, 2), Int32Array.of(3)];
  const all = concat(Int32Array, [first, new Int32Array(), last]);
  expect(all).toEqual(Int32Array.of(1, 2, 3));
  first[0] = 9;
  expect(all[0]).toBe(1);
  expect(concat(Float32Array, [])).toEqual(new Float32Array());
});
