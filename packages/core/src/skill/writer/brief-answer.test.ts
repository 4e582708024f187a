/** Answers that name steps: what is made of them, and which ones their own question contradicts. */
import { expect, test } from "vitest";
import { briefSteps, readBriefAnswer } from "./brief-answer.ts";

const brief = [
  "hints: 2",
  "task: be at c",
  "saw: at a\na9 s0: never done",
  "lost:",
  "a0 s0>s1: east",
  "saw: at b",
  "a1 s1>s0: west",
  "saw: at a",
  "a2 s0>s0 (refused): jump; then fly",
  "saw: no",
  "a3 s0>s0 (no change): look",
  "saw: at a",
  "another won:",
  "b0 s0>s2: south",
  "b1 s2>s0: north",
  "b2 s0>s1: east",
  "b3 s1: go east",
];
const skill = (text: string): unknown => {
  const said = readBriefAnswer({ kind: "skill", brief }, `a0+ a1< a2x a3=\n${text}`);
  return said === undefined ? undefined : (JSON.parse(said) as unknown);
};

test("steps are lines of their own; what was seen names none", () => {
  expect(briefSteps(brief).map(({ name }) => name)).toEqual(["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"]);
});

test("a skill says the actions of the steps that it names, and its hints are kept where they stand", () => {
  expect(
    skill(
      "Refused: a2. Leads back: a1. Not: a1. But: b3. This worked: b2; b3.\na1 Next: b3.\na2 Do not a2; it is refused here.\na3 Do not a3; it leads nowhere.\na7 Next: b3.",
    ),
  ).toEqual({
    episode_summary: "lost after 4 steps",
    episode_skill: "Refused: jump; then fly. Leads back: west. Not: west. But: go east. This worked: east; go east.",
    step_skills: { "1": "Next: go east.", "2": "Do not jump; then fly; it is refused here." },
  });
});

test("what to do instead is kept only where a sibling did it in the same state", () => {
  const told = "Refused: a2. Not: a0. But: b3. This worked: b2; b3.\na0 Next: b3.\na0 Next: a3.\na0 Next: b0.";
  expect(skill(told)).toMatchObject({
    episode_skill: "Refused: jump; then fly. This worked: east; go east.",
    step_skills: { "0": "Next: south." },
  });
  expect(skill("Not: a0. But: a3.")).toBeUndefined();
});

test.each([
  ["a step that is not there", "This worked: b2; b9."],
  ["a way with a gap", "This worked: b0; b3."],
  ["a way that ends early", "This worked: b2."],
  ["a way of the lost one", "This worked: a0; a1; a2; a3."],
  ["steps out of their order", "This worked: b3; b2."],
  ["a refusal that was none", "Refused: a0. This worked: b2; b3."],
  ["no effect where there was one", "Useless: a0."],
  ["a way back that was none", "Leads back: a0."],
  ["words that nobody taught it", "You should go east."],
  ["a command in words", "This worked: east; go east."],
])("a skill is none with %s", (_, text) => expect(skill(text)).toBeUndefined());

test("a reflection or correction may put an action in words, if names and numbers in them were seen", () => {
  const record = ["task: book it", "saw: 69 of wages, for Lund", "a0: book 71 from cash", "in the end: wrong"];
  const ask = (kind: "reflection" | "correction", text: string): string | undefined =>
    readBriefAnswer({ kind, brief: record }, text);
  expect(ask("reflection", "a0-\na0 Do this now: book 69 from cash.")).toBe(
    '{"step":0,"guidance":"Do this now: book 69 from cash."}',
  );
  expect(ask("reflection", "a0-\na0 Do this now: book 68 from cash.")).toBeUndefined();
  expect(ask("reflection", "a0-\na1 Do this now: book 69 from cash.")).toBeUndefined();
  expect(ask("correction", "a0-\nbook 69 for Lund")).toBe("book 69 for Lund");
  expect(ask("correction", "a0-\nbook 69 for Dorn")).toBeUndefined();
  expect(ask("correction", "a0+\na0")).toBe("book 71 from cash");
  expect(ask("correction", "book 69 from cash")).toBeUndefined();
});

test("reasons name what was tried; critiques are an order, verdicts a word; of plans it knows nothing", () => {
  const tried = ["task: be dry", "c0: take a coat", "led to: dry", "c1: sing", "led to: wet"];
  expect(readBriefAnswer({ kind: "reason", brief: tried }, 'c0+ c1=\nIt is better to "c0": "c1" has no effect.')).toBe(
    'It is better to "take a coat": "sing" has no effect.',
  );
  expect(readBriefAnswer({ kind: "reason", brief: tried }, 'c0+\n"c0" beats "c4".')).toBeUndefined();
  expect(readBriefAnswer({ kind: "critique", brief: [] }, "1- 2+\n2, 1")).toBe("2, 1");
  expect(readBriefAnswer({ kind: "verdict", brief: [] }, "c0+ c1!\nharmful")).toBe("harmful");
  expect(readBriefAnswer({ kind: "verdict", brief: [] }, "c0+\nfine")).toBeUndefined();
  expect(readBriefAnswer({ kind: "plan", brief: [] }, "c0+\nfirst this")).toBeUndefined();
});
