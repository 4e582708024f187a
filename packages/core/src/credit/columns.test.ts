import { expect, test } from "vitest";
import {
  add,
  columnOf,
  countOf,
  entry,
  groupBy,
  groupMeans,
  groupMembers,
  groupSums,
  meanOf,
  onMembers,
} from "./columns.ts";
import { real, intAt } from "./columns.ts";

const groups = groupBy(5, (at) => ["b", "a", "b", "b", "a"][at] ?? "");

test("a place that does not exist is an error, never undefined", () => {
  expect(real(Float64Array.of(0.5), 0)).toBe(0.5);
  expect(() => real(Float64Array.of(0.5), 1)).toThrow("There is no place 1 among 1.");
  expect(() => intAt(new Int32Array(), 0)).toThrow("There is no place 0 among 0.");
  expect(() => entry(["row"], -1)).toThrow("There is no place -1 among 1.");
  expect(() => add(Float64Array.of(1), 3, 1)).toThrow("There is no place 3 among 1.");
});

test("groups are numbered as they are met; sums, means and members follow", () => {
  expect(groups).toEqual({ of: Int32Array.of(0, 1, 0, 0, 1), count: 2 });
  const values = Float64Array.of(1, 10, 2, 6, 20);
  expect(groupSums(groups)).toEqual(Float64Array.of(3, 2));
  expect(groupSums(groups, values)).toEqual(Float64Array.of(9, 30));
  // Without the third and the fifth: 1 + 6 and 10.
  const counted = Uint8Array.of(1, 1, 0, 1, 0);
  expect(groupSums(groups, values, counted)).toEqual(Float64Array.of(7, 10));
  expect(groupMeans(groups, values, counted)).toEqual(Float64Array.of(3.5, 10));
  expect(groupMembers(groups)).toEqual([
    [0, 2, 3],
    [1, 4],
  ]);
  expect(onMembers(groups, Float64Array.of(0.5, -1))).toEqual(Float64Array.of(0.5, -1, 0.5, 0.5, -1));
});

test("columns of lists, counts and means", () => {
  expect(columnOf(["a", "bcd"], ({ length }, at) => 10 * at + length)).toEqual(Float64Array.of(1, 13));
  expect(countOf(Int32Array.of(0, 3, 0, -1))).toBe(2);
  expect([meanOf(Float64Array.of(1, 2, 6)), meanOf(new Float64Array())]).toEqual([3, 0]);
});
