import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { plainDialect, wordTokenizer } from "limbeck-policy/policy/tabular/script-tokenizer";
import type { Dialect } from "limbeck-policy/policy/dialect";
import { inShort, reasonedLesson } from "./lesson.ts";
import { buildLessonRows } from "./lesson-rows.ts";

// room 0, go 1, wait 2, hall 3, because 4; 5 ends an answer.
const words = ["room", "go", "wait", "hall", "because"];
const plain = plainDialect(wordTokenizer(words));
/** A turn with a head and a tail around its words, as chat templates have. */
const framed: Dialect = {
  ...plain,
  turn: (text, options) => Int32Array.from([8, ...plain.turn(text, options), 9]),
};

/** Reads "room", says "go" and its end. */
const episode = sampleTrajectory("e", {
  steps: [sampleStep(0, { span: { stream: 0, start: 1, end: 3 } })],
  streams: [{ ids: Int32Array.from([0, 1, 5]), mask: Uint8Array.from([0, 1, 1]) }],
});
const at = { trajectory: "e", step: 0 };
const rowsOf = (lesson: Parameters<typeof buildLessonRows>[0][number], dialect = framed) =>
  buildLessonRows([lesson], [episode], { dialect, maxTokens: 20 }).rows.map(({ ids, mask }) => [[...ids], [...mask]]);

test("a prediction: the own action is read, the words of the reply are learned, not the frame around them", () => {
  expect(rowsOf({ ...at, learnAnswer: false, after: "hall room" })).toEqual([
    [
      [0, 1, 5, 8, 3, 0, 9],
      [0, 0, 0, 0, 1, 1, 0],
    ],
  ]);
});

test("another answer than the one that was given, with its reason before or after it", () => {
  const write = (thought: string, action: string): string => `${thought} ${action}`;
  const reason = { action: "wait", thought: "because hall" };
  expect(rowsOf(reasonedLesson(at, reason, { place: "after", write }), plain)).toEqual([
    [
      [0, 2, 5, 4, 3],
      [0, 1, 1, 1, 1],
    ],
  ]);
  expect(rowsOf(reasonedLesson(at, reason, { place: "before", write }), plain)).toEqual([
    [
      [0, 4, 3, 2, 5],
      [0, 1, 1, 1, 1],
    ],
  ]);
});

test("what comes after the answer may weigh less", () => {
  const lesson = { ...at, learnAnswer: true, after: "hall" };
  const { rows } = buildLessonRows([lesson], [episode], { dialect: plain, maxTokens: 9, afterWeight: 0.25 });
  expect(rows.map(({ mask, weights }) => [[...mask], [...(weights ?? [])]])).toEqual([
    [
      [0, 1, 1, 1],
      [1, 1, 1, 0.25],
    ],
  ]);
});

test("what does not fit, or teaches nothing, is counted", () => {
  const long = { ...at, learnAnswer: true, after: "hall hall" };
  expect(buildLessonRows([long], [episode], { dialect: plain, maxTokens: 4 })).toEqual({ rows: [], lost: 1 });
  expect(buildLessonRows([{ ...at, learnAnswer: false }], [episode], { dialect: plain, maxTokens: 9 }).lost).toBe(1);
  expect(() => buildLessonRows([{ ...long, trajectory: "x" }], [episode], { dialect: plain, maxTokens: 9 })).toThrow(
    '"x"',
  );
});

test("texts of the world in short", () => {
  expect(inShort("  a \n b  ", 10)).toBe("a b");
  expect(inShort("one two three four", 12)).toBe("one two…");
  expect(inShort("abcdefghijklm", 6)).toBe("abcde…");
});
