/**
 * Where a text stops being JSON. Messages of the JavaScript engine differ from version to version, often give no
 * position and repeat untrusted text; these give the column and what was expected.
 */
import { boundedJson, isTooDeep } from "limbeck-base/base/json";
import { faultAt, type FileLine } from "./fault.ts";

export interface JsonFault {
  /** Position in the text, from 0. */
  readonly at: number;
  readonly expected: string;
}

/** Parses, or throws an error that names file, line, column and what was expected there. */
export function parseJson(text: string, place: FileLine): unknown {
  try {
    return boundedJson(text);
  } catch (error) {
    if (isTooDeep(text)) throw faultAt(place, "too-deep", "the JSON is nested more than 500 deep.");
    const fault = findJsonFault(text) ?? { at: 0, expected: "JSON that can be held in memory" };
    const ended = fault.at >= text.length ? "the text ends" : "malformed JSON";
    const message = `${ended} at column ${fault.at + 1}; expected ${fault.expected}.`;
    throw Object.assign(faultAt(place, "bad-json", message, { column: fault.at + 1 }), { cause: error });
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const LITERAL = /true|false|null/y;

/** The first syntax fault, or undefined when the text is JSON. Depth is held in a list, so deep nesting is no danger. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ("{" | "[")[] = [];
  let at = match(SPACE, text, 0);
  // What may stand at `at`: a value, the first item of a container (which may be its end), or what follows a value.
  let state: "value" | "first" | "after" = "value";
  for (;;) {
    const inside = open.at(-1);
    const here = text[at];
    if (state === "after") {
      if (inside === undefined) return at === text.length ? undefined : { at, expected: "the end of the text" };
      const close = inside === "{" ? "}" : "]";
      if (here === close) {
        open.pop();
        at += 1;
      } else if (here === ",") {
        at += 1;
        state = "value";
      } else return { at, expected: `"," or "${close}"` };
    } else if (state === "first" && here === (inside === "{" ? "}" : "]")) {
      open.pop();
      at += 1;
      state = "after";
    } else {
      const fault = inside === "{" ? key(text, at) : at;
      if (typeof fault !== "number") return fault;
      at = fault;
      const start = text[at];
      if (start === "{" || start === "[") {
        open.push(start);
        at += 1;
        state = "first";
      } else {
        const end = scalar(text, at);
        if (typeof end !== "number") return end;
        at = end;
        state = "after";
      }
    }
    at = match(SPACE, text, at);
  }
}

/** Past a key and its colon. */
function key(text: string, at: number): number | JsonFault {
  if (text[at] !== '"') return { at, expected: "a key in double quotes" };
  const end = string(text, at);
  if (typeof end !== "number") return end;
  const colon = match(SPACE, text, end);
  return text[colon] === ":" ? match(SPACE, text, colon + 1) : { at: colon, expected: '":"' };
}

function scalar(text: string, at: number): number | JsonFault {
  if (text[at] === '"') return string(text, at);
  const end = Math.max(match(NUMBER, text, at), match(LITERAL, text, at));
  return end > at ? end : { at, expected: "a value" };
}

/** Past a string. A loop, because a pattern would need memory for every character of a long one. */
function string(text: string, start: number): number | JsonFault {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return { at, expected: "an escape; raw control characters may not stand in a string" };
    if (code !== 0x5c) continue;
    const end = match(ESCAPE, text, at);
    if (end === at) return { at, expected: "a known escape" };
    at = end - 1;
  }
  return { at: text.length, expected: "the end of a string" };
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
