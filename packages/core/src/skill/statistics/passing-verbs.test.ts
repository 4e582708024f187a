import { expect, test } from "vitest";
import { played } from "../../../../../test/support/played.ts";
import { passingVerbs } from "./passing-verbs.ts";

const straight = played("straight", true, [
  ["s", "go b"],
  ["b", "finish"],
]);
const around = played("around", true, [
  ["s", "go a"],
  ["a", "go b"],
  ["b", "finish"],
]);

test("a verb passes when its next action leads where it would have led without the first", () => {
  expect(passingVerbs([straight, around])).toEqual(new Set(["go"]));
  // Of one who took a lamp first, the second take ends elsewhere.
  const one = played("one", true, [
    ["s", "take b"],
    ["b", "finish"],
  ]);
  const both = played("both", true, [
    ["s", "take a"],
    ["a", "take b"],
    ["a and b", "finish"],
  ]);
  expect(passingVerbs([one, both])).toEqual(new Set());
});

test("a refused action says nothing, neither as the first nor as the next", () => {
  const first = played("first refused", true, [
    ["s", "go a", { valid: false }],
    ["s", "go b", { observation: "other words" }],
    ["b", "finish"],
  ]);
  expect(passingVerbs([straight, first])).toEqual(new Set());
  const next = played("next refused", true, [
    ["s", "go a"],
    ["a", "go b", { valid: false }],
    ["a", "finish"],
  ]);
  // Counted, it would take back the vote of the one that was accepted.
  expect(passingVerbs([straight, around, next])).toEqual(new Set(["go"]));
});

test("a verb of which an accepted action changed nothing that can be seen does not pass", () => {
  const unseen = played("unseen", true, [
    ["b", "go c", { observation: "a hall" }],
    ["c", "finish", { observation: "a hall" }],
  ]);
  expect(passingVerbs([straight, around, unseen])).toEqual(new Set());
});
