import { expect, test } from "vitest";
import { fitShape } from "./fit-shape.ts";

test("places take one word each, the shortest that fits; spaces and case are free", () => {
  expect(fitShape("put a hot {1} in {2}.", "Put a  hot egg in desk.")).toEqual(["egg", "desk"]);
  expect(fitShape("put a hot {1} in {2}.", "put a hot egg in the desk.")).toBeUndefined();
  expect(fitShape("{1},{2}", "a,b,c")).toEqual(["a", "b,c"]);
  expect(fitShape("{1} and {1}", "egg and egg")).toEqual(["egg"]);
  expect(fitShape("{1} and {1}", "egg and mug")).toBeUndefined();
  expect(fitShape("look", " look ")).toEqual([]);
  expect(fitShape("{1}!", "😀!")).toEqual(["😀"]);
});

test("a list of many places does not run away on a goal that does not fit", () => {
  const places = Array.from({ length: 40 }, (_, at) => `{${at + 1}}`).join(",");
  const list = Array.from({ length: 90 }, (_, at) => `w${at % 10}`).join(",");
  // As one expression this would be tried in more than 10^25 ways: the choice of 39 commas out of 89.
  expect(fitShape(`${places}!`, `${list}?`)).toBeUndefined();
  expect(fitShape(`${places}?`, `${list}?`)).toHaveLength(40);
});
