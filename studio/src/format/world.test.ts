import { expect, test } from "vitest";
import { worldText } from "./world.ts";

test("options of a world are words", () => {
  expect(worldText('household {"dial":"tiny"}')).toBe("household (dial tiny)");
  expect(worldText('research {"hops":[1,2],"topk":2}')).toBe("research (hops [1,2], topk 2)");
  expect([worldText("shop"), worldText("x {}"), worldText("x {broken}")]).toEqual(["shop", "x", "x {broken}"]);
});
