/** Nested lists in round brackets, as PDDL is written: lower-cased, without `;` comments, each list with its line. */
import { EngineError } from "limbeck-base/base/errors";

export interface SexprList {
  readonly items: readonly Sexpr[];
  /** Line in its text, from 1. */
  readonly line: number;
}

export type Sexpr = string | SexprList;

const OPEN = 40;
const CLOSE = 41;
const SEMICOLON = 59;
const NEWLINE = 10;
/** Deeper than any planning file; keeps hostile files from exhausting the stack in a walk through the tree. */
const MAX_DEPTH = 200;

/** The one list a text holds. `source` names the text in errors: "pddl_domain". */
export function parseSexpr(text: string, source: string): SexprList {
  const lower = text.toLowerCase();
  const stack: { items: Sexpr[]; line: number }[] = [];
  let line = 1;
  let root: SexprList | undefined;
  let at = 0;
  while (at < lower.length) {
    const code = lower.charCodeAt(at);
    if (code === NEWLINE) line += 1;
    if (code <= 32) at += 1;
    else if (code === SEMICOLON) at = endOfLine(lower, at);
    else if (root !== undefined) throw badText(source, line, "there is text after the closing bracket");
    else if (code === OPEN) {
      if (stack.length >= MAX_DEPTH) throw badText(source, line, `brackets are nested deeper than ${MAX_DEPTH}`);
      stack.push({ items: [], line });
      at += 1;
    } else if (code === CLOSE) {
      const done = stack.pop();
      if (done === undefined) throw badText(source, line, "a closing bracket has no opening one");
      const parent = stack.at(-1);
      if (parent === undefined) root = done;
      else parent.items.push(done);
      at += 1;
    } else {
      const end = endOfWord(lower, at);
      const parent = stack.at(-1);
      if (parent === undefined) throw badText(source, line, `"${lower.slice(at, end)}" stands outside all brackets`);
      parent.items.push(lower.slice(at, end));
      at = end;
    }
  }
  const open = stack.at(-1);
  if (open !== undefined) throw badText(source, open.line, "the bracket opened here is never closed");
  if (root === undefined) throw badText(source, line, "there is no bracketed list");
  return root;
}

export function badText(source: string, line: number, what: string): EngineError {
  return new EngineError("bad-game", `Bad game file: in ${source}, line ${line}, ${what}.`, {
    details: { source, line },
  });
}

/** A construct this interpreter does not know. It never guesses: a rule that is skipped would be another game. */
export function unknownConstruct(source: string, line: number, name: string, known: readonly string[]): EngineError {
  return badText(source, line, `the construct "${name}" is not understood; understood are ${known.join(", ")}`);
}

/** The list's first word, or "" when it has none. */
export function head(list: SexprList): string {
  const first = list.items[0];
  return typeof first === "string" ? first : "";
}

/** An item that must be a list. */
export function asList(item: Sexpr | undefined, source: string, line: number, what: string): SexprList {
  if (item !== undefined && typeof item !== "string") return item;
  throw badText(
    source,
    line,
    `${what} must be a list in brackets, not ${item === undefined ? "nothing" : `"${item}"`}`,
  );
}

/** An item that must be a word. */
export function asWord(item: Sexpr | undefined, source: string, line: number, what: string): string {
  if (typeof item === "string") return item;
  throw badText(source, line, `${what} must be a word`);
}

/** `a b - type c` as pairs. A name without a type is of type "object". */
export function typedNames(items: readonly Sexpr[], source: string, line: number): { name: string; type: string }[] {
  const typed: { name: string; type: string }[] = [];
  let waiting: string[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const word = asWord(items[index], source, line, "a name in a typed list");
    if (word !== "-") {
      waiting.push(word);
      continue;
    }
    index += 1;
    const type = asWord(items[index], source, line, `the type of ${waiting.join(" ")}`);
    for (const name of waiting) typed.push({ name, type });
    waiting = [];
  }
  for (const name of waiting) typed.push({ name, type: "object" });
  return typed;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === OPEN || code === CLOSE || code === SEMICOLON) break;
  }
  return at;
}
