import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyShelf, foldVisits, retrieve, sharedWords, shelfFromJson, shelfToJson, type ShelfSkill } from "./shelf.ts";

const skill = (id: number, given: Partial<ShelfSkill> = {}): ShelfSkill => ({
  id,
  scenario: `goal ${id}`,
  text: `do ${id}`,
  utility: 0.5,
  uses: 0,
  ...given,
});
const plain = { rate: 0.05, capacity: 10, newUtility: "outcome" } as const;

test("a use moves the utility a twentieth of the way", () => {
  // 0.95 * 0.4 + 0.05 * 1 = 0.43; then 0.95 * 0.43 + 0.05 * 0 = 0.4085.
  const shelf = { skills: [skill(1, { utility: 0.4 })], next: 2 };
  const once = foldVisits(shelf, [{ chosen: 1, outcome: 1 }], plain);
  expect(once.skills[0]?.utility).toBeCloseTo(0.43, 12);
  const twice = foldVisits(once, [{ chosen: 1, outcome: 0 }], plain);
  expect(twice.skills[0]).toMatchObject({ uses: 2 });
  expect(twice.skills[0]?.utility).toBeCloseTo(0.4085, 12);
});

test("a new skill starts with the outcome of its episode, or with the mean of the shelf", () => {
  const shelf = { skills: [skill(1, { utility: 0.2 }), skill(2, { utility: 0.6 })], next: 3 };
  const visit = { outcome: 1, written: { scenario: "s", text: "t" } };
  expect(foldVisits(shelf, [visit], plain).skills.at(-1)).toEqual({
    id: 3,
    scenario: "s",
    text: "t",
    utility: 1,
    uses: 0,
  });
  expect(foldVisits(shelf, [visit], { ...plain, newUtility: "mean" }).skills.at(-1)?.utility).toBeCloseTo(0.4, 12);
  expect(foldVisits(emptyShelf, [visit], { ...plain, newUtility: "mean" }).skills[0]?.utility).toBe(1);
});

test("the same text for the same goal is written once", () => {
  const visit = { outcome: 1, written: { scenario: "s", text: "t" } };
  const shelf = foldVisits(emptyShelf, [visit, { ...visit, outcome: 0 }], plain);
  expect(shelf).toEqual({ skills: [{ id: 1, scenario: "s", text: "t", utility: 1, uses: 0 }], next: 2 });
});

test("beyond the capacity the least useful goes, the oldest of equals", () => {
  const written = (text: string, outcome: number) => ({ outcome, written: { scenario: "s", text } });
  const visits = [written("a", 1), written("b", 0), written("c", 0), written("d", 1)];
  const { skills, next } = foldVisits(emptyShelf, visits, { ...plain, capacity: 2 });
  // b goes for c (both 0, b older), then c for d.
  expect(skills.map(({ text }) => text)).toEqual(["a", "d"]);
  expect(next).toBe(5);
});

test("similarity is the share of the query's words in the scenario", () => {
  expect(sharedWords("Heat mug", { scenario: "heat the egg" })).toBe(0.5);
  expect(sharedWords("", { scenario: "heat" })).toBe(0);
});

test("greedy retrieval goes by similarity and utility, exploring also by how rarely a skill was tried", () => {
  const shelf = {
    skills: [
      skill(1, { scenario: "heat mug", utility: 0.4, uses: 19 }),
      skill(2, { scenario: "heat egg", utility: 0.2, uses: 0 }),
      skill(3, { scenario: "clean", utility: 0.9, uses: 1 }),
      skill(4, { scenario: "cool", utility: 0, uses: 0 }),
    ],
    next: 5,
  };
  // 1 + 0.4 = 1.4, 1 + 0.2 = 1.2, 0.9, 0.
  expect(retrieve(shelf, "heat", { bonus: 0 }).map(({ id }) => id)).toEqual([1, 2, 3]);
  // N = 20, ln 21 = 3.0445. c = 1: 1.4 + sqrt(3.0445/20) = 1.790; 1.2 + 1.745 = 2.945; 0.9 + sqrt(1.522) = 2.134;
  // 0 + 1.745 = 1.745.
  expect(retrieve(shelf, "heat", { bonus: 1 }).map(({ id }) => id)).toEqual([2, 3, 1]);
  expect(retrieve(shelf, "heat", { bonus: 0, most: 1 }).map(({ id }) => id)).toEqual([1]);
});

test("a shelf survives its checkpoint", () => {
  const text = fc.string({ maxLength: 8 });
  const visits = fc.array(
    fc.record(
      { outcome: fc.constantFrom(0, 1), written: fc.record({ scenario: text, text }, { noNullPrototype: true }) },
      { noNullPrototype: true },
    ),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(visits, (given) => {
      const shelf = foldVisits(emptyShelf, given, { ...plain, capacity: 3 });
      expect(shelf.skills.length).toBeLessThanOrEqual(3);
      expect(shelfFromJson(JSON.parse(JSON.stringify(shelfToJson(shelf))))).toEqual(shelf);
    }),
    { numRuns: 30 },
  );
  expect(shelfFromJson(null)).toEqual(emptyShelf);
  expect(() => shelfFromJson({ skills: 1 })).toThrow(/cannot be read/);
});
