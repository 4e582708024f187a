import { expect, test } from "vitest";
import { shadeCss, shadeOf } from "./token-colour.ts";

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
  const scale = { measure: "probability", full: 1 } as const;
  expect(shadeOf(scale, 0.25)).toEqual({ side: "amount", strength: 0.75 });
  expect(shadeOf(scale, 1)).toBeUndefined();
});
