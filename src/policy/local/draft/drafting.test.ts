import { expect, test } from "vitest";
import { hopesOf, worthOf } from "./drafting.ts";

test("rows that speak together are worth what the slowest says, and half of what the others are ahead", () => {
  expect(worthOf(3, 1)).toBe(2);
  expect(worthOf(3, 3)).toBe(3);
  // Nobody goes on: all have said what they had to say.
  expect(worthOf(2.5, Number.POSITIVE_INFINITY)).toBe(2.5);
});

test("a row alone hopes for all of its guesses, a group for less", () => {
  const sure = { reach: [0.9, 0.8, 0.5] };
  // 1, and then the likeliest guesses: 1.9, 2.7, 3.2.
  const alone = hopesOf([sure], 4);
  expect(alone[1]).toBe(1);
  expect(alone[2]).toBeCloseTo(1.9);
  expect(alone[4]).toBeCloseTo(3.2);
  // Two such rows and two without a guess: on average 2.1, the slowest 1.
  const group = hopesOf([sure, { reach: [] }, sure, { reach: [] }], 4);
  expect(group[1]).toBe(1);
  expect(group[4]).toBeCloseTo(1.55);
});
