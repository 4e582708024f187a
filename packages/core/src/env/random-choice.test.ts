import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { randomChoice } from "./random-choice.ts";

const task = { id: "t", env: "e", seed: 1, goal: "", split: "train" };

test("every listed action comes up, and nothing where none is listed", () => {
  const demonstration = randomChoice.start(task, createRng(1));
  const seen = { action: undefined, observation: "" };
  const taken = Array.from({ length: 100 }, () => demonstration.next({ ...seen, admissible: ["a", "b", "c"] }));
  expect([...new Set(taken)].toSorted()).toEqual(["a", "b", "c"]);
  expect(demonstration.next(seen)).toBe("");
});
