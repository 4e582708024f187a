import { expect, test } from "vitest";
import { readPlace, writePlace } from "../route/place.ts";
import { readView, writeView } from "./chart-view.ts";

test("a view that was written is read back", () => {
  const view = { smooth: 0.6, log: true, span: [12.5, 400] as const, hidden: new Set(["a, b", "c"]) };
  expect(readView(readPlace(writePlace(["runs"], writeView(view))))).toEqual(view);
  expect(writePlace(["runs"], writeView({ smooth: 0, log: false, span: undefined, hidden: new Set() }))).toBe("#/runs");
});

test("an address by hand that makes no sense shows everything", () => {
  for (const words of ["smooth=2&x=5..1", "smooth=nonsense&x=a..b", "x=7", "smooth=-1&log=perhaps"]) {
    expect(readView(readPlace(`#/runs?${words}`))).toEqual({
      smooth: 0,
      log: false,
      span: undefined,
      hidden: new Set(),
    });
  }
});

test("a change writes only what it names", () => {
  expect(writeView({ log: true })).toEqual({ log: "yes" });
  expect(writeView({ span: undefined })).toEqual({ x: undefined });
});
