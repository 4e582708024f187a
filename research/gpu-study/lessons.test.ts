import { expect, test } from "vitest";
import type { Dialect } from "limbeck";
import { everyNth } from "./games.ts";
import { rowOf } from "./lessons.ts";

const tokens = (text: string): Int32Array => Int32Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
const dialect: Dialect = {
  opening: (text) => tokens(`<${text}>`),
  turn: (text) => tokens(`[${text}]`),
  stop: [tokens(".")],
  answer: (ids) => String.fromCodePoint(...Array.from(ids)),
  reply: (text) => tokens(`${text}.`),
};

test("a lesson is the conversation of a training: decisions weigh 1, answers of the world 0.1, openings and slips nothing", () => {
  const decisions = [
    { message: "a", action: "go", learnt: true },
    { message: "b", action: "no", learnt: false },
  ];
  const lesson = { kind: "unadvised", success: true, decisions } as const;
  const row = rowOf(lesson, dialect, 12);
  expect(String.fromCodePoint(...(row?.ids ?? []))).toBe("<a>go.[b]no.");
  expect([...(row?.weights ?? [])]).toEqual([0, 0, 0, 1, 1, 1, 0.1, 0.1, 0.1, 0, 0, 0]);
  expect([...(row?.mask ?? [])]).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]);
  expect(rowOf(lesson, dialect, 11)).toBeUndefined();
});

test("some of many are spread over all of them", () => {
  expect(everyNth([0, 1, 2, 3, 4, 5, 6], 3)).toEqual([0, 2, 4]);
  expect(everyNth([0, 1], 5)).toEqual([0, 1]);
});
