import { expect, test } from "vitest";
import { groupStates, groupTokenPrefixes, normaliseState } from "./state-groups.ts";

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

test("token prefixes: equal tokens up to each item's own length", () => {
  const stream = Int32Array.of(5, 6, 7, 8);
  const other = [5, 6, 9];
  const groups = groupTokenPrefixes([
    { ids: stream, length: 2 },
    { ids: stream },
    { ids: other, length: 2 },
    { ids: other },
    { ids: stream, length: 0 },
    { ids: [], length: 0 },
    { ids: [5, 6, 7, 8] },
  ]);
  expect([...groups.of]).toEqual([0, 1, 0, 2, 3, 3, 1]);
  expect(groups.count).toBe(4);
});

test("token prefixes of different tasks are different states; a length beyond the tokens is refused", () => {
  const ids = [1, 2];
  expect([...groupTokenPrefixes([{ ids }, { ids }], { within: ["one", "two"] }).of]).toEqual([0, 1]);
  expect(() => groupTokenPrefixes([{ ids }, { ids, length: 3 }])).toThrow("Prefix 1 has length 3");
});
