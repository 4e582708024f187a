/**
 * Reads an arithmetic expression and works it out exactly. Nothing is ever handed to a JavaScript evaluator.
 *
 *   sum     = product (("+" | "-") product)*
 *   product = factor (("*" | "/") factor)*
 *   factor  = whole number | "(" sum ")"
 *
 * The typographic signs − × ÷ and their near relations count as - * /. There is no sign before a number and no power:
 * the game has four operations on the given numbers.
 */
import { calculate, rationalOf, type Operator, type Rational } from "./rational.ts";

export type Reading =
  | { readonly kind: "value"; readonly value: Rational; readonly numbers: readonly number[] }
  | { readonly kind: "fault"; readonly why: string };

/** Far above what a solution needs; a longer text is not read at all. */
const MAX_CHARACTERS = 500;
const MAX_DEPTH = 40;
const MAX_DIGITS = 9;

const SIGNS: Readonly<Record<string, string>> = {
  "\u2212": "-",
  "\u2013": "-",
  "\u00d7": "*",
  "\u2217": "*",
  "\u22c5": "*",
  "\u00b7": "*",
  "\u00f7": "/",
  "\u2215": "/",
};

export function readExpression(text: string): Reading {
  if (text.length > MAX_CHARACTERS) {
    return fault(`it has ${text.length} characters, and at most ${MAX_CHARACTERS} are read`);
  }
  const plain = text.replace(/[\u2212\u2013\u00d7\u2217\u22c5\u00b7\u00f7\u2215]/g, (sign) => SIGNS[sign] ?? sign);
  const tokens = plain.match(/\d+|[^\s\d]/g) ?? [];
  if (tokens.length === 0) return fault("it is empty");
  const reader = new Reader(tokens);
  try {
    const value = reader.sum(0);
    return reader.done
      ? { kind: "value", value, numbers: reader.numbers }
      : fault(`${shown(reader.next)} is out of place`);
  } catch (error) {
    if (error instanceof Unreadable) return fault(error.message);
    throw error;
  }
}

class Unreadable extends Error {}

class Reader {
  readonly numbers: number[] = [];
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get next(): string | undefined {
    return this.#tokens[this.#position];
  }

  get done(): boolean {
    return this.#position >= this.#tokens.length;
  }

  sum(depth: number): Rational {
    return this.#chain(["+", "-"], () => this.#chain(["*", "/"], () => this.#factor(depth)));
  }

  #chain(operators: readonly Operator[], part: () => Rational): Rational {
    let value = part();
    for (;;) {
      const operator = operators.find((sign) => sign === this.next);
      if (operator === undefined) return value;
      this.#position += 1;
      const result = calculate(value, operator, part());
      if (result === undefined) throw new Unreadable("it divides by zero");
      value = result;
    }
  }

  #factor(depth: number): Rational {
    const token = this.next;
    this.#position += 1;
    if (token === "(") {
      if (depth >= MAX_DEPTH) throw new Unreadable(`its brackets are nested deeper than ${MAX_DEPTH}`);
      const value = this.sum(depth + 1);
      if (this.next !== ")") throw new Unreadable(`a closing bracket is missing before ${shown(this.next)}`);
      this.#position += 1;
      return value;
    }
    if (token === undefined || !/^\d+$/.test(token)) {
      throw new Unreadable(`a number or a bracket was expected, not ${shown(token)}`);
    }
    if (token.length > MAX_DIGITS) throw new Unreadable(`a number has more than ${MAX_DIGITS} digits`);
    this.numbers.push(Number(token));
    return rationalOf(this.numbers.at(-1) ?? 0);
  }
}

function fault(why: string): Reading {
  return { kind: "fault", why };
}

/** JSON quoting keeps control characters out of messages. */
function shown(token: string | undefined): string {
  return token === undefined ? "the end" : JSON.stringify(token);
}
