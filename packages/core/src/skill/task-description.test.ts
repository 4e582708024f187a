import { expect, test } from "vitest";
import { extractTaskDescription } from "./model/request.ts";

test.each([
  [["A room.\nYour task is to:  put  a mug\tdown. \nMore"], "put a mug down."],
  [["YOUR TASK IS: shout"], "shout"],
  [["Your question: who?\nYour current task is: b\nYour task is: c"], "c"],
  [["Your task is to:   \nYour question: who?"], "who?"],
  [["nothing here", "Your task is to: look in the second text"], "look in the second text"],
  [[undefined, "nothing"], undefined],
])("%j gives %j", (texts, expected) => {
  expect(extractTaskDescription(...texts)).toBe(expected);
});
