import { expect, test } from "vitest";
import { createScale, shadeCss, shadeOf } from "./token-colour.ts";

test("blue above zero, orange below, as strong as the value is large", () => {
  const scale = { measure: "advantage", full: 2 } as const;
  expect(shadeOf(scale, 1)).toEqual({ side: "more", strength: 0.5 });
  expect(shadeOf(scale, -0.5)).toEqual({ side: "less", strength: 0.25 });
  expect(shadeOf(scale, -9)).toEqual({ side: "less", strength: 1 });
  for (const nothing of [0, null, undefined, Number.NaN]) expect(shadeOf(scale, nothing)).toBeUndefined();
  // 0.25 of 55 % is 13.75 %, in tenths.
  expect(shadeCss(shadeOf(scale, -0.5))).toBe("color-mix(in oklab, var(--less) 13.8%, transparent)");
  expect(shadeCss(undefined)).toBe("transparent");
});

test("an unlikely token has more colour than a likely one", () => {
  const scale = createScale("probability", []);
  expect(shadeOf(scale, 0.25)).toEqual({ side: "amount", strength: 0.75 });
  expect(shadeOf(scale, 1)).toBeUndefined();
});

test("one outlier does not bleach the rest", () => {
  // 40 values: 39 of size 1, one of 100. floor(40 * 0.95) = 38, the 39th smallest: 1.
  const values = [...Array.from({ length: 39 }, (_, at) => (at % 2 === 0 ? 1 : -1)), 100];
  expect(createScale("advantage", values)).toEqual({ measure: "advantage", full: 1 });
  // 30 zeros and one 4: the percentile is zero, so the largest value counts.
  expect(createScale("teacher", [...Array.from({ length: 30 }, () => 0), 4]).full).toBe(4);
  expect(createScale("entropy", [null, undefined]).full).toBe(1);
});
