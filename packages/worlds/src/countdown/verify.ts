/**
 * The judge: is this text an expression over the given numbers that reaches the target? Exact, without rounding.
 *
 * Reward: 1 when solved, else 0. With partial credit, what is not solved still earns
 *   0                                     when no expression can be read,
 *   0.1                                   when it uses other numbers than given, or one too often, or leaves one out,
 *   0.1 + 0.4 max(0, 1 - |v - t| / t)     when the numbers are right and the value v misses the target t.
 * So a near miss stays below half of a solution.
 */
import { calculate, equals, type Operator, type Rational, showRational, rationalOf } from "./rational.ts";

/** "each": every given number exactly once, as in TinyZero. "any": every one at most once, as in the television game. */
export type NumberUse = "each" | "any";

export interface Puzzle {
  readonly numbers: readonly number[];
  /** A whole number of at least 1. */
  readonly target: number;
  readonly use: NumberUse;
}

export type Verdict =
  | { readonly kind: "solved" }
  | { readonly kind: "off-target"; readonly value: Rational; readonly why: string }
  | { readonly kind: "wrong-numbers"; readonly why: string }
  | { readonly kind: "unreadable"; readonly why: string };

const FORM_CREDIT = 0.1;
const NEARNESS_CREDIT = 0.4;

/**
 * Whether an expression solves the puzzle, and what is wrong with it otherwise.
 *
 * @example
 * const puzzle = { numbers: [2, 3], target: 6, use: "each" } as const;
 * console.log(verify(puzzle, "2 * 3").kind, verify(puzzle, "2 + 3").kind, verify(puzzle, "6").kind); // solved off-target wrong-numbers
 */
export function verify({ numbers, target, use }: Puzzle, expression: string): Verdict {
  const reading = readExpression(expression);
  if (reading.kind === "fault") return { kind: "unreadable", why: reading.why };
  const left = [...numbers];
  for (const number of reading.numbers) {
    const position = left.indexOf(number);
    if (position < 0) {
      const given = numbers.includes(number);
      return {
        kind: "wrong-numbers",
        why: given ? `${number} is used too often` : `${number} is not among the numbers`,
      };
    }
    left.splice(position, 1);
  }
  if (use === "each" && left.length > 0) return { kind: "wrong-numbers", why: `${left.join(", ")} is left over` };
  if (equals(reading.value, rationalOf(target))) return { kind: "solved" };
  return {
    kind: "off-target",
    value: reading.value,
    why: `the value is ${showRational(reading.value)}, not ${target}`,
  };
}

export function reward(verdict: Verdict, target: number, partialCredit: boolean): number {
  if (verdict.kind === "solved") return 1;
  if (!partialCredit || verdict.kind === "unreadable") return 0;
  if (verdict.kind === "wrong-numbers") return FORM_CREDIT;
  return FORM_CREDIT + NEARNESS_CREDIT * Math.max(0, 1 - relativeMiss(verdict.value, target));
}

/** |v - t| / t to nine digits, at most 1: the fraction may be too large for a floating number. */
function relativeMiss(value: Rational, target: number): number {
  const miss = calculate(value, "-", rationalOf(target)) ?? rationalOf(target);
  const size = miss.numerator < 0n ? -miss.numerator : miss.numerator;
  const scaled = (size * 1_000_000_000n) / (miss.denominator * BigInt(target));
  return scaled >= 1_000_000_000n ? 1 : Number(scaled) / 1e9;
}

/*
 * Reads an arithmetic expression and works it out exactly. Nothing is ever handed to a JavaScript evaluator.
 *
 *   sum     = product (("+" | "-") product)*
 *   product = factor (("*" | "/") factor)*
 *   factor  = whole number | "(" sum ")"
 *
 * The typographic signs − × ÷ and their near relations count as - * /. There is no sign before a number and no power:
 * the game has four operations on the given numbers.
 */

type Reading =
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
