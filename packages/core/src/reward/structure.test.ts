import fc from "fast-check";
import { expect, test } from "vitest";
import { totals, withActions } from "../../../../test/support/reward.ts";
import { structure } from "./structure.ts";

const task = {
  id: "task-1",
  env: "toy",
  seed: 1,
  goal: "g",
  split: "train",
  data: { gold: { city: "Rome", size: 3 } },
};
const options = { required: { city: "string", size: "number" } };
const answer = (text: string) => withActions("a", ["think", text], { task });
const one = (text: string): number | string | undefined => totals(structure, [answer(text)], options)[0];

test("each layer adds its weight", () => {
  // Weights: structure 0.2, valid 0.2, format 0.2, content 0.4; they add up to 1.
  expect(one('{"city": "Rome", "size": 3}')).toBe(1);
  // Right fields and types, one of two values: 0.2 + 0.2 + 0.2 + 0.4 / 2 = 0.8
  expect(one('{"city": "Rome", "size": 4}')).toBe(0.8);
  // One field, right: 0.2 + 0.2 + 0.2 / 2 + 0.4 / 2 = 0.7
  expect(one('{"city": "Rome"}')).toBe(0.7);
  // Size as text: the field has another type and another value: the same 0.7
  expect(one('{"city": "Rome", "size": "3"}')).toBe(0.7);
  // Brackets close, but it does not parse: 0.2
  expect(one("{city: Rome}")).toBe(0.2);
  expect(one("{city")).toBe(0);
  expect(one("Rome")).toBe(0);
});

test("a fence is fine, prose around it costs half of validity", () => {
  expect(one('```json\n{"city": "Rome", "size": 3}\n```')).toBe(1);
  // 1 - 0.2 / 2
  expect(one('Sure! {"city": "Rome", "size": 3}')).toBe(0.9);
});

test("brackets inside strings are text", () => {
  expect(one('{"city": "R}]\\"ome", "size": 3}')).toBe(0.8);
  expect(one("{]}")).toBe(0);
});

test("without a right output content is left out and said to be", () => {
  const free = withActions("a", ['{"city": "Rome"}']);
  // (0.2 + 0.2 + 0.2 / 2) / 0.6
  expect(totals(structure, [free], options)).toEqual([0.833333333]);
  expect(totals(structure, [free], options, { part: "content" })).toEqual(["unscored: nobody gave the right output"]);
  const givens = { gold: () => ({ value: { city: "Rome" } }) };
  expect(totals(structure, [free], options, { givens })).toEqual([0.9]);
});

test("no steps, no weights, any text", () => {
  expect(totals(structure, [withActions("a", [])])).toEqual(["unscored: it has no steps"]);
  const none = { structure: 0, valid: 0, format: 0, content: 0 };
  expect(totals(structure, [answer("{}")], none)).toEqual(["unscored: no layer has a weight"]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", "a", ":", "1", ",") }), (text) => {
      const value = one(text);
      expect(typeof value === "number" && value >= 0 && value <= 1).toBe(true);
    }),
  );
});

test("each layer can be left out: with its weight at 0 nothing but the others counts", () => {
  const none = { structure: 0, valid: 0, format: 0, content: 0 };
  // Closed, readable, one of two fields with its type, no value right.
  const text = '{"city": "Oslo"}';
  const found = { structure: 1, valid: 1, format: 0.5, content: 0 };
  for (const [layer, value] of Object.entries(found)) {
    expect(totals(structure, [answer(text)], { ...options, ...none, [layer]: 1 })).toEqual([value]);
    const others = Object.entries(found).filter(([name]) => name !== layer);
    const all = { structure: 1, valid: 1, format: 1, content: 1, [layer]: 0 };
    const left = others.reduce((sum, [, own]) => sum + own, 0) / 3;
    expect(Number(totals(structure, [answer(text)], { ...options, ...all })[0])).toBeCloseTo(left, 8);
  }
});
