/**
 * A dialect of whole words for policies with small vocabularies: tests, tables, toy worlds. Words that are not listed
 * share the last id.
 */
import type { Dialect } from "limbeck-policy/policy/dialect";

/** Ids: 0 opens a message, 1 opens an answer, 2 ends it, then the words, then everything unknown. */
export const OPEN = 0;
export const ANSWER = 1;
export const END = 2;
const FIRST_WORD = 3;

export interface WordDialect extends Dialect {
  readonly vocabularySize: number;
  encode(text: string): Int32Array;
}

export function createWordDialect(words: readonly string[]): WordDialect {
  const ids = new Map(words.map((word, at) => [word, FIRST_WORD + at]));
  const unknown = FIRST_WORD + words.length;
  const encode = (text: string): Int32Array =>
    Int32Array.from(
      text.split(/\s+/).filter((word) => word !== ""),
      (word) => ids.get(word) ?? unknown,
    );
  const message = (text: string): Int32Array => Int32Array.of(OPEN, ...encode(text), ANSWER);
  return {
    vocabularySize: unknown + 1,
    encode,
    stop: [Int32Array.of(END)],
    opening: (text, system) => (system === undefined ? message(text) : message(`${system} ${text}`)),
    turn: (text, { cut = false } = {}) => (cut ? Int32Array.of(END, ...message(text)) : message(text)),
    reply: (text) => Int32Array.of(...encode(text), END),
    answer: (said) =>
      Array.from(said)
        .filter((id) => id >= FIRST_WORD)
        .map((id) => words[id - FIRST_WORD] ?? "?")
        .join(" "),
  };
}
