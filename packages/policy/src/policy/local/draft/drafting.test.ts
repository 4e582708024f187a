import { expect, test } from "vitest";
import { createResponse } from "../response.ts";
import { chainOf, gooseTree, graftTree } from "./shapes.ts";
import { hopesOf, worthOf } from "./drafting.ts";
import { NO_DRAFT } from "./tree.ts";
import { createWordMemory } from "./word-memory.ts";

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

test("guesses end where the answer does: what the memory has seen after that is said by others", () => {
  const memory = createWordMemory();
  // An answer of 4 5 6, its end 9 0, and the world's 7 8.
  const before = [1, 2, 3, 4, 5, 6, 9, 0, 7, 8];
  for (let time = 0; time < 3; time += 1) memory.learn([...before, ...before], 0, 20);
  const drafted = (stop: readonly number[][]): Parameters<typeof chainOf>[1] => ({
    tokens: [1, 2, 3],
    count: 3,
    response: createResponse({ maxTokens: 20, stop }),
    most: 7,
  });
  expect(chainOf(memory, drafted([])).tokens).toEqual([4, 5, 6, 9, 0]);
  // The last token of the end is drawn without a guess.
  expect(chainOf(memory, drafted([[9, 0]])).tokens).toEqual([4, 5, 6, 9]);
  expect(chainOf(memory, drafted([[6]])).tokens).toEqual([4, 5]);
  expect(gooseTree(memory, drafted([[6]])).tokens).toEqual([4, 5]);
  expect(graftTree(memory, NO_DRAFT, drafted([[6]])).tokens).toEqual([4, 5]);
});

test("an end that has begun to be said goes on in the guesses", () => {
  const response = createResponse({ maxTokens: 5, stop: [[9, 0]] });
  const sure = { logprobs: Float32Array.from({ length: 10 }, (_, id) => (id === 9 ? 0 : -Infinity)) };
  response.take({ ...sure, probabilities: sure.logprobs.map((value) => Math.exp(value)) }, 0.5);
  expect(response.last()).toBe(9);
  expect(response.ends([], 0)).toBe(true);
  expect(response.ends([3], 0)).toBe(false);
  expect(response.ends([3, 9], 0)).toBe(true);
});
