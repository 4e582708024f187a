import { expect, test } from "vitest";
import { createToll, type Toll } from "./pace.ts";

/** Passes of 10 milliseconds, each of which saved so much. */
function pass(toll: Toll, times: number, saved: number): void {
  for (let at = 0; at < times; at += 1) toll.passed(10, saved);
}

test("guesses that save a twentieth of all time go on", () => {
  const toll = createToll();
  pass(toll, 512 * 8, 0.5);
  expect(toll.isOpen).toBe(true);
});

test("guesses that save a fiftieth rest, twice as long each time, and are tried again", () => {
  const toll = createToll();
  const rests: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    pass(toll, 511, 0.2);
    expect(toll.isOpen).toBe(true);
    pass(toll, 1, 0.2);
    let rest = 0;
    for (; !toll.isOpen; rest += 1) pass(toll, 1, 0);
    rests.push(rest);
  }
  expect(rests).toEqual([1_024, 2_048, 4_096, 8_192, 16_384, 16_384]);
});

test("once they pay, the next rest is a short one", () => {
  const toll = createToll();
  pass(toll, 512 + 1_024 + 512 + 2_048, 0.2);
  expect(toll.isOpen).toBe(true);
  pass(toll, 512, 0.5);
  expect(toll.isOpen).toBe(true);
  pass(toll, 512 + 1_023, 0.2);
  expect(toll.isOpen).toBe(false);
  pass(toll, 1, 0.2);
  expect(toll.isOpen).toBe(true);
});
