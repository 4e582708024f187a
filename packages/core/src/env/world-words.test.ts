import { expect, test } from "vitest";
import { storedWorldWords } from "./world-words.ts";

test("options of a world are words", () => {
  expect(storedWorldWords('household {"dial":"tiny"}')).toBe("household (dial tiny)");
  expect(storedWorldWords('research {"hops":[1,2],"topk":2}')).toBe("research (hops [1,2], topk 2)");
  expect([storedWorldWords("shop"), storedWorldWords("x {}"), storedWorldWords("x {broken}")]).toEqual([
    "shop",
    "x",
    "x {broken}",
  ]);
});
