import { expect, test } from "vitest";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { passedAfter, withOverdue } from "./difficulty.ts";

const tasks = ["a", "b", "c", "d"].map((id, seed): Task => ({ id, env: "e", seed, goal: id, split: "train" }));

test("who was passed over four times comes next, the longest first, in the places of the rule's last", () => {
  expect(withOverdue(tasks, [0, 1], { c: 3, d: 3 })).toEqual([0, 1]);
  expect(withOverdue(tasks, [0, 1], { c: 4, d: 3 })).toEqual([0, 2]);
  expect(withOverdue(tasks, [0, 1], { b: 5, c: 4, d: 6 })).toEqual([1, 3]);
});

test("a task that is rolled out has waited for nothing; one that was not given waits on", () => {
  expect(passedAfter({ a: 4, b: 1, elsewhere: 2 }, tasks, [0, 2])).toEqual({ elsewhere: 2, b: 2, d: 1 });
});
