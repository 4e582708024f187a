import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";
import type { Json } from "limbeck-base/base/json";
import type { GraderUse } from "../suite.ts";

const call = (name: string, given: { readonly [name: string]: Json } = {}) => ({ name, arguments: given });
const said = (...calls: readonly Json[]): string => JSON.stringify(calls);
const by = (options: NonNullable<Exclude<GraderUse, string>["options"]>): GraderUse => ({ use: "calls", options });
const [a, b] = [call("a", { x: 1, y: [2] }), call("b")];

test("names and arguments in any order, none missing and none too many", async () => {
  expect(await scoreOf("calls", finished([said(b, a)], [a, b]))).toBe(1);
  expect(await scoreOf("calls", finished([said(a), said(b)], [a, b]))).toBe(1);
  expect(await scoreOf("calls", finished([said(a)], [a, b]))).toBe(0);
  expect(await scoreOf("calls", finished([said(a, b, b)], [a, b]))).toBe(0);
  expect(await scoreOf(by({ extra: true }), finished([said(a, b, b)], [a, b]))).toBe(1);
  expect(await scoreOf("calls", finished([said(call("a", { y: [2], x: 1 }))], [a]))).toBe(1);
  expect(await scoreOf("calls", finished([said(call("a", { x: 1, y: [3] }))], [a]))).toBe(0);
  // One call cannot stand for two.
  expect(await scoreOf(by({ extra: true }), finished([said(a, b)], [a, a]))).toBe(0);
});

test("in the same order, others in between only where they are allowed", async () => {
  expect(await scoreOf(by({ order: "same" }), finished([said(a, b)], [a, b]))).toBe(1);
  expect(await scoreOf(by({ order: "same" }), finished([said(b, a)], [a, b]))).toBe(0);
  expect(await scoreOf(by({ order: "same", extra: true }), finished([said(a, a, b)], [a, b]))).toBe(1);
});

test("an empty list is right where nothing is called", async () => {
  expect(await scoreOf("calls", finished(["No function fits."], []))).toBe(1);
  expect(await scoreOf("calls", finished([said(b)], []))).toBe(0);
});

const right = call("f.g", {
  city: ["New York", "NYC"],
  unit: ["C", ""],
  at: [[1, 2]],
  who: [{ name: ["Ann"], age: [3, ""] }],
});
test.each([
  [{ city: "new york", unit: "c", at: [1, 2], who: { name: "ann", age: 3 } }, 1],
  [{ city: "N.Y.C", at: [1, 2], who: { name: "Ann" } }, 1],
  [{ city: "Boston", at: [1, 2], who: { name: "Ann" } }, 0],
  [{ city: "NYC", at: [2, 1], who: { name: "Ann" } }, 0],
  [{ city: "NYC", at: [1, 2], who: { name: "Ann", size: 1 } }, 0],
  [{ city: "NYC", at: [1, 2], who: { age: 3 } }, 0],
  [{ city: "NYC", at: [1, 2] }, 0],
  [{ city: "NYC", at: [1, 2], who: { name: "Ann" }, more: 1 }, 0],
])("any of the right values: %j is %i", async (given, score) => {
  expect(await scoreOf(by({ values: "any-of" }), finished([said(call("f_g", given))], [right]))).toBe(score);
});

test("an answer that is no list of calls is named", async () => {
  expect(await scoreOf("calls", finished(["x"], { name: "a" }))).toContain("has to be a list");
  expect(await scoreOf("calls", finished(['[{"name":"a","arguments":"{"}]'], [call("a")]))).toBe(0);
});
