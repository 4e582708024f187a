/**
 * Text to search tokens, in the manner of Lucene's English analyser, which the original's search engine uses: words,
 * possessive endings off, lower case, 33 stop words out, Porter stems.
 */
import { stemmer } from "stemmer";

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this " +
    "to was will with"
  ).split(" "),
);

/**
 * Letters and digits, joined over a dot, comma or apostrophe only between two of them ("3.5", "don't"). Scripts written
 * without blanks give one token per character.
 */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Thai}]|[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_]|['’.,](?=[\p{L}\p{N}]))*/gu;

export interface Analyser {
  (text: string): string[];
}

/** Stems are remembered per analyser: a catalogue repeats few words many times. */
export function createAnalyser(): Analyser {
  const stems = new Map<string, string>();
  return (text) => {
    const tokens: string[] = [];
    for (const [match] of text.toLowerCase().matchAll(WORD)) {
      const word = match.replace(/['’]s$/, "");
      if (STOP_WORDS.has(word)) continue;
      let stem = stems.get(word);
      if (stem === undefined) {
        stem = stemmer(word);
        // What people type is unbounded, so only words of a usual length are kept, and not without end.
        if (word.length <= 32 && stems.size < 200_000) stems.set(word, stem);
      }
      tokens.push(stem);
    }
    return tokens;
  };
}
