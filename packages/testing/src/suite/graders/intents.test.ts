import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";

const DUE = [
  { line: 4, intent: "book a train", matter: "Oslo" },
  { line: 9, intent: "pay a bill", matter: "Kim" },
];
const both = async (...lines: string[]) => {
  const done = finished([lines.join("\n")], DUE);
  return [await scoreOf("intents", done), await scoreOf({ use: "intents", options: { by: "quiet" } }, done)];
};

test("in time is from the line that completes the matter to three lines later", async () => {
  expect(await both("[4] book a train: Oslo", "[12] pay a bill: Kim")).toEqual([1, 1]);
  // Too early and too late: two false alarms, both missed.
  expect(await both("[3] book a train: Oslo", "[13] pay a bill: Kim")).toEqual([0, 1 / 3]);
});

test("again, another matter and another intent are false alarms; silence raises none", async () => {
  // One hit, three alarms, one missed: 2 / (2 + 3 + 1).
  const four = ["[4] book a train: Oslo", "[5] book a train: Oslo", "[9] pay a bill: Oslo", "[9] book a train: Kim"];
  expect(await both(...four)).toEqual([2 / 6, 1 / 4]);
  expect(await both("nothing to suggest")).toEqual([0, 1]);
  expect(await scoreOf("intents", finished([""], []))).toBe(1);
  expect(await scoreOf("intents", finished([""], "Oslo"))).toContain("has to be a list");
});
