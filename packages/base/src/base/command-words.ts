/** A command that is given as one text, as its words: no shell runs it, so only quotes mean anything. */
import { usageError } from "./errors.ts";

/** The program and its arguments. `option` is who gave them, for the error. */
export function commandWords(text: string, option: string): [program: string, ...args: string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const character of text) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else word = `${word ?? ""}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = `${word ?? ""}${character}`;
  }
  if (quote !== "") throw usageError(`--${option} has a ${quote} that is never closed: ${text}`);
  if (word !== undefined) words.push(word);
  const [program, ...args] = words;
  if (program === undefined || program === "") throw usageError(`--${option} names no program.`);
  return [program, ...args];
}
