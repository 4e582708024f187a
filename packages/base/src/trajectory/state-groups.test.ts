import { expect, test } from "vitest";
import { groupStates, normaliseState } from "./state-groups.ts";

test("equal keys share a group, numbered by first appearance", () => {
  const groups = groupStates(["b", "a", "b", "c"]);
  expect([...groups.of]).toEqual([0, 1, 0, 2]);
  expect(groups.count).toBe(3);
});

test("equal keys of different tasks are different states", () => {
  const groups = groupStates(["a", "a", "b", "a"], { within: ["one", "two", "one", "two"] });
  expect([...groups.of]).toEqual([0, 1, 2, 1]);
  expect(groups.count).toBe(3);
  expect(() => groupStates(["a", "b"], { within: ["one"] })).toThrow("2 states and 1 entries");
});

test("normalised text: case, white space, control characters and compatibility forms do not count", () => {
  expect(normaliseState("  You\tSEE\r\n a\u0007mug  ")).toBe("you see a mug");
  expect(normaliseState("ﬁne Ｍug")).toBe("fine mug");
  const states = ["You see a mug.", "you  see a MUG.", "You see a cup."];
  expect([...groupStates(states, { match: "normalised" }).of]).toEqual([0, 0, 1]);
  expect([...groupStates(states).of]).toEqual([0, 1, 2]);
});

test("similar text, within a task only", () => {
  // 19 of 20 characters: 0.95.
  const states = ["abcdefghijklmnopqrst", "abcdefghijXlmnopqrst", "abcdefghijklmnopqrst", "zzzz"];
  expect([...groupStates(states, { match: "similar" }).of]).toEqual([0, 0, 0, 1]);
  expect([...groupStates(states, { match: "similar", threshold: 0.96 }).of]).toEqual([0, 1, 0, 2]);
  expect([...groupStates(states, { match: "similar", within: ["p", "q", "q", "q"] }).of]).toEqual([0, 1, 1, 2]);
});

test("an unknown way to compare is refused", () => {
  expect(() => groupStates(["a"], { match: "similiar" as "similar" })).toThrow('Did you mean "similar"?');
});
