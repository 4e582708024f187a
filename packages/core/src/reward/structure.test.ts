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

test("each part adds its weight", () => {
  // Weights: structure 0.2, format 0.2, valid 0.2, content 0.4; they add up to 1. Nobody gave the longest length.
  expect(one('{"city": "Rome", "size": 3}')).toBe(1);
  // Two of four words at their place: 0.2 + 0.2 + 0.2 + 0.4 * 2 * 1 / 4 = 0.8
  expect(one('{"city": "Rome", "size": 4}')).toBe(0.8);
  // One field of two; content 2 * 1 / 3: 0.1 + 0.2 + 0.2 + 0.266667
  expect(one('{"city": "Rome"}')).toBe(0.766666667);
  // Size as text: the field has another type, the words are right.
  expect(one('{"city": "Rome", "size": "3"}')).toBe(0.9);
  // A field too many: content 2 * 2 / 5 = 0.8, 1 - 0.4 * 0.2 = 0.92
  expect(one('{"city": "Rome", "size": 3, "more": 1}')).toBe(0.92);
  // Brackets close and stand alone, but it does not parse: 0.2
  expect(one("{city: Rome}")).toBe(0.2);
  expect(one("{city")).toBe(0);
  expect(one("Rome")).toBe(0);
});

test("content: words at their place, whatever their order, and those of lists together", () => {
  const gold = { dish: { steps: ["Boil the water", "add salt"], minutes: 8 } };
  const givens = { gold: () => ({ value: gold }) };
  const content = (value: unknown): number | string | undefined =>
    totals(structure, [answer(JSON.stringify(value))], {}, { givens, part: "content" })[0];
  expect(content(gold)).toBe(1);
  expect(content({ dish: { minutes: 8, steps: ["add salt", "boil the water"] } })).toBe(1);
  // boil, water and add of boil, the, water, add, salt and 8: 2 * 3 / (4 + 6), with a 9 in the place of the 8.
  expect(content({ dish: { steps: ["boil water", "add"], minutes: 9 } })).toBe(0.6);
  expect(content({ steps: gold.dish.steps, minutes: 8 })).toBe(0);
  expect(content([])).toBe(0);
  const deep = answer("[".repeat(20_000) + "]".repeat(20_000));
  expect(totals(structure, [deep], {}, { givens, part: "content" })).toEqual([0]);
});

test("a fence is fine, prose around it costs its form, what is too long a part of its length", () => {
  expect(one('```json\n{"city": "Rome", "size": 3}\n```')).toBe(1);
  expect(one('Sure! {"city": "Rome", "size": 3}')).toBe(0.8);
  // 27 characters where 18 are enough: (1 + 0.2 * 18 / 27) / 1.2
  const long = totals(structure, [answer('{"city": "Rome", "size": 3}')], { ...options, longest: 18 })[0];
  expect(Number(long)).toBeCloseTo((1 + (0.2 * 18) / 27) / 1.2, 8);
  expect(totals(structure, [answer("{}")], { longest: 18 }, { part: "length" })).toEqual([1]);
});

test("brackets inside strings are text", () => {
  // The words r and ome in the place of rome: content 2 * 1 / 5.
  expect(one('{"city": "R}]\\"ome", "size": 3}')).toBe(0.76);
  expect(one("{]}")).toBe(0);
});

test("without a right output content is left out and said to be", () => {
  const free = withActions("a", ['{"city": "Rome"}']);
  // (0.2 + 0.2 + 0.2 / 2) / 0.6
  expect(totals(structure, [free], options)).toEqual([0.833333333]);
  expect(totals(structure, [free], options, { part: "content" })).toEqual(["unscored: nobody gave the right output"]);
  expect(totals(structure, [free], options, { part: "length" })).toEqual(["unscored: nobody gave the longest length"]);
  const givens = { gold: () => ({ value: { city: "Rome" } }) };
  expect(totals(structure, [free], options, { givens })).toEqual([0.9]);
});

test("no steps, no weights, any text", () => {
  expect(totals(structure, [withActions("a", [])])).toEqual(["unscored: it has no steps"]);
  const none = { structure: 0, format: 0, valid: 0, content: 0 };
  expect(totals(structure, [answer("{}")], none)).toEqual(["unscored: no layer has a weight"]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", "[", "]", '"', "\\", "a", ":", "1", ",") }), (text) => {
      const value = one(text);
      expect(typeof value === "number" && value >= 0 && value <= 1).toBe(true);
    }),
  );
});

test("each layer can be left out: with its weight at 0 nothing but the others counts", () => {
  const none = { structure: 0, format: 0, valid: 0, content: 0 };
  // Alone, readable, one of two fields with its type, no value right.
  const text = '{"city": "Oslo"}';
  const found = { structure: 0.5, format: 1, valid: 1, content: 0 };
  for (const [layer, value] of Object.entries(found)) {
    expect(totals(structure, [answer(text)], { ...options, ...none, [layer]: 1 })).toEqual([value]);
    const others = Object.entries(found).filter(([name]) => name !== layer);
    const all = { structure: 1, format: 1, valid: 1, content: 1, [layer]: 0 };
    const left = others.reduce((sum, [, own]) => sum + own, 0) / 3;
    expect(Number(totals(structure, [answer(text)], { ...options, ...all })[0])).toBeCloseTo(left, 8);
  }
});
