/**
 * JSON as models write it. Objects become maps, because plain objects put keys that look like whole numbers first and
 * the order in which an analyst names its steps matters. Control characters inside strings are let through.
 */
export type Decoded = null | boolean | number | string | readonly Decoded[] | DecodedObject;
export type DecodedObject = ReadonlyMap<string, Decoded>;

/** What differs between JSON and a Python literal. */
export interface Notation {
  readonly quotes: string;
  readonly words: ReadonlyMap<string, Decoded>;
  readonly trailingCommas: boolean;
  /** What opens and closes a list. */
  readonly lists: ReadonlyMap<string, string>;
  /** Whether a key may be a number, as in `{1: "a"}`. */
  readonly numericKeys: boolean;
}

export const jsonNotation: Notation = {
  quotes: '"',
  words: new Map<string, Decoded>([
    ["true", true],
    ["false", false],
    ["null", null],
  ]),
  trailingCommas: false,
  lists: new Map([["[", "]"]]),
  numericKeys: false,
};

export const pythonNotation: Notation = {
  quotes: "\"'",
  words: new Map<string, Decoded>([
    ["True", true],
    ["False", false],
    ["None", null],
  ]),
  trailingCommas: true,
  lists: new Map([
    ["[", "]"],
    ["(", ")"],
  ]),
  numericKeys: true,
};

/** Deeper than any answer that is meant; keeps hostile nesting from exhausting the stack. */
const DEEPEST = 100;

/** The object that begins at `start`, whatever follows it; undefined where none does. */
export function decodeObject(text: string, start: number, notation: Notation): DecodedObject | undefined {
  const reader = new Reader(text, start, notation);
  try {
    return reader.object(0);
  } catch (error) {
    if (error === NOT_THIS) return undefined;
    throw error;
  }
}

// One for all: an answer may hold thousands of braces that begin nothing, and a stack for each would be slow.
const NOT_THIS = new Error("This is no object.");

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

class Reader {
  readonly #text: string;
  readonly #notation: Notation;
  #at: number;

  constructor(text: string, start: number, notation: Notation) {
    this.#text = text;
    this.#at = start;
    this.#notation = notation;
  }

  object(depth: number): DecodedObject {
    const entries = new Map<string, Decoded>();
    this.#items("{", "}", () => {
      const key = this.#value(depth + 1);
      const usable = typeof key === "string" || (this.#notation.numericKeys && typeof key === "number");
      if (!usable) throw NOT_THIS;
      this.#expect(":");
      entries.set(String(key), this.#value(depth + 1));
    });
    return entries;
  }

  #value(depth: number): Decoded {
    if (depth > DEEPEST) throw NOT_THIS;
    this.#skipSpace();
    const character = this.#text[this.#at] ?? "";
    if (character === "{") return this.object(depth);
    const closing = this.#notation.lists.get(character);
    if (closing !== undefined) {
      const items: Decoded[] = [];
      this.#items(character, closing, () => items.push(this.#value(depth + 1)));
      return items;
    }
    if (character !== "" && this.#notation.quotes.includes(character)) return this.#string(character);
    return this.#word();
  }

  #items(opening: string, closing: string, readItem: () => void): void {
    this.#expect(opening);
    if (this.#skips(closing)) return;
    for (;;) {
      readItem();
      if (this.#skips(closing)) return;
      this.#expect(",");
      if (this.#notation.trailingCommas && this.#skips(closing)) return;
    }
  }

  #string(quote: string): string {
    let value = "";
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at] as string;
      if (character === quote) {
        this.#at += 1;
        return value;
      }
      value += character === "\\" ? this.#escape() : character;
    }
    throw NOT_THIS;
  }

  /** Leaves the position on the last character of the escape. */
  #escape(): string {
    this.#at += 1;
    const character = this.#text[this.#at] ?? "";
    const hexLength = character === "u" ? 4 : character === "x" && this.#notation.numericKeys ? 2 : 0;
    if (hexLength > 0) {
      const hex = this.#text.slice(this.#at + 1, this.#at + 1 + hexLength);
      if (hex.length !== hexLength || !/^[0-9a-f]+$/i.test(hex)) throw NOT_THIS;
      this.#at += hexLength;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const known = ESCAPES.get(character);
    if (known !== undefined) return known;
    if (`"\\/${this.#notation.quotes}`.includes(character) && character !== "") return character;
    // Python keeps the backslash of an escape that it does not know; JSON does not allow one.
    if (this.#notation.numericKeys && character !== "") return `\\${character}`;
    throw NOT_THIS;
  }

  #word(): Decoded {
    const word = /^[^\s,:{}[\]()"']+/.exec(this.#text.slice(this.#at, this.#at + 40))?.[0] ?? "";
    this.#at += word.length;
    const known = this.#notation.words.get(word);
    if (known !== undefined) return known;
    if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(word)) throw NOT_THIS;
    return Number(word);
  }

  #expect(character: string): void {
    if (!this.#skips(character)) throw NOT_THIS;
  }

  #skips(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }
}
