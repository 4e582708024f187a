import { expect, test } from "vitest";
import type { PlayPlace } from "../../../../src/serve/api.ts";
import { drawOrder } from "./draw-order.ts";

const place = (id: number, parent: number | null): PlayPlace => ({
  id,
  parent,
  depth: 0,
  action: null,
  valid: true,
  observation: { text: "", length: 0, cut: false },
  reward: 0,
  total: 0,
  ending: null,
  success: null,
  admissible: null,
});

test("a way is listed to its end before the next, and only forks are indented", () => {
  // 0 - 1, then a fork into 2 - 4 and 3.
  const listed = drawOrder([place(0, null), place(1, 0), place(2, 1), place(3, 1), place(4, 2)]);
  expect(listed.map(({ place: { id }, indent }) => [id, indent])).toEqual([
    [0, 0],
    [1, 0],
    [2, 1],
    [4, 1],
    [3, 1],
  ]);
});
