import { expect, test } from "vitest";
import { createTurns } from "./sampler.ts";

const lane = (width: number, rows: number) => ({ width, rows: Array.from({ length: rows }, () => undefined as never) });

test("who reads goes first, and every fifth pass is for those who speak", () => {
  const turns = createTurns([lane(32, 3), lane(8, 1), lane(1, 2)]);
  expect(Array.from({ length: 11 }, () => turns()?.width)).toEqual([32, 32, 32, 32, 1, 32, 32, 32, 32, 1, 32]);
});

test("where nobody speaks, readers go on; where nobody is left, nobody is next", () => {
  const reading = createTurns([lane(32, 0), lane(8, 1), lane(1, 0)]);
  expect(Array.from({ length: 6 }, () => reading()?.width)).toEqual([8, 8, 8, 8, 8, 8]);
  expect(createTurns([lane(32, 0), lane(1, 0)])()).toBeUndefined();
});
