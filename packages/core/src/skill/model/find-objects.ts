/** Every object that a model's answer holds, with the repairs that answers need, in the order they are tried. */
import { decodeObject, jsonNotation, pythonNotation, type DecodedObject } from "./json-text.ts";

/** More than any answer that is meant; keeps a flood of braces from taking minutes. */
const MOST_BRACES = 1000;
/** Looking for the end of a brace takes the rest of the text each time; an answer that is meant has few. */
const MOST_SLICES = 200;

/** Fenced blocks first, then the whole answer; each as it is, then without trailing commas. */
export function findObjects(answer: string): DecodedObject[] {
  const fenced = [...answer.matchAll(/```[\w-]*[ \t]*\n?([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  return [...fenced, answer].flatMap((text) => {
    const repaired = text.replace(/,(\s*[}\]])/g, "$1");
    return [...objectsIn(text), ...(repaired === text ? [] : objectsIn(repaired))];
  });
}

function objectsIn(text: string): DecodedObject[] {
  const decoded = bracesIn(text).flatMap((at) => decodeObject(text, at, jsonNotation) ?? []);
  // The empty "{}" inside a Python literal is JSON too; that alone must not keep the literal from being read.
  return decoded.some((object) => object.size > 0) ? decoded : [...literalsIn(text), ...decoded];
}

function bracesIn(text: string): number[] {
  return [...text.matchAll(/\{/g)].slice(0, MOST_BRACES).map((match) => match.index);
}

/** Balanced slices read as Python literals; inside one that was read nothing more is looked for. */
function literalsIn(text: string): DecodedObject[] {
  const found: DecodedObject[] = [];
  let from = 0;
  for (const at of bracesIn(text).slice(0, MOST_SLICES)) {
    if (at < from) continue;
    const end = balancedEnd(text, at);
    const value = end === undefined ? undefined : decodeObject(text.slice(at, end), 0, pythonNotation);
    if (value === undefined || end === undefined) continue;
    found.push(value);
    from = end;
  }
  return found;
}

/** Where the brace that opens at `start` is closed, not counting braces inside quotes. */
function balancedEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quote !== undefined) {
      if (character === "\\") at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
