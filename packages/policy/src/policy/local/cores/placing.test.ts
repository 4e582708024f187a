import { expect, test } from "vitest";
import { placeTalks } from "./cores.ts";

const talk = (...ids: number[]): Int32Array => Int32Array.from(ids);

test("conversations that begin alike go to the same core, each core gets its share", () => {
  const beginnings = [talk(1, 2), talk(1, 3), talk(1, 2), talk(1, 3), talk(1, 2), talk(1, 3)];
  expect(placeTalks([0, 0], beginnings)).toEqual([0, 1, 0, 1, 0, 1]);
  // Three cores, two each: only the last of each kind must go elsewhere.
  expect(placeTalks([0, 0, 0], beginnings)).toEqual([0, 1, 0, 2, 1, 2]);
});

test("cores with less are filled first", () => {
  const beginnings = Array.from({ length: 5 }, () => talk(1));
  expect(placeTalks([4, 1, 2], beginnings)).toEqual([1, 1, 1, 2, 2]);
  expect(placeTalks([0, 3], [talk(9), talk()])).toEqual([0, 0]);
  expect(placeTalks([2, 2], [])).toEqual([]);
});

test("a longer beginning lies beside the shorter one it continues", () => {
  expect(placeTalks([0, 0], [talk(1, 2, 3), talk(4), talk(1, 2), talk(4, 5)])).toEqual([0, 1, 0, 1]);
});
