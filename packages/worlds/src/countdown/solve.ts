/**
 * Finds a solution by trying every way to join two numbers into one.
 *
 * Positive whole numbers on the way are tried first: nearly every puzzle has such a solution, and it reads well. What
 * was shown to lead nowhere is remembered as a sorted list of numbers. Only then come fractions and negative numbers.
 */
import { EngineError } from "limbeck-base/base/errors";
import { calculate, showRational, rationalOf, type Operator, type Rational } from "./rational.ts";
import type { Puzzle } from "./verify.ts";

export interface SolutionStep {
  readonly left: string;
  readonly operator: Operator;
  readonly right: string;
  readonly result: string;
}

export interface Solution {
  readonly expression: string;
  /** In the order in which they are worked out. */
  readonly steps: readonly SolutionStep[];
}

/** A value and how it came about. `strength` is 0 for a lone number or brackets, 1 for * and /, 2 for + and -. */
export interface Term {
  readonly value: Rational;
  readonly expression: string;
  readonly strength: number;
  readonly steps: readonly SolutionStep[];
}

/**
 * A shortest way to the target; undefined where there is none.
 *
 * @example
 * console.log(solve({ numbers: [2, 3, 7], target: 13, use: "each" })?.expression); // 7 + 2 * 3
 */
export function solve(puzzle: Puzzle): Solution | undefined {
  const tidy = explore(puzzle, TIDY, puzzle.numbers.map(TIDY.of));
  if (tidy !== undefined) return write(tidy);
  const exact = explore(puzzle, EXACT, puzzle.numbers.map(EXACT.of));
  return exact === undefined ? undefined : write(exact);
}

/** A value of some arithmetic, and the two it was joined from. */
interface Node<V> {
  readonly value: V;
  /** The given number, where it is one. */
  readonly number?: number;
  readonly made?: { readonly left: Node<V>; readonly operator: Operator; readonly right: Node<V> };
}

interface Arithmetic<V> {
  readonly of: (number: number) => Node<V>;
  /** Undefined where this arithmetic does not go. */
  readonly calculate: (left: V, operator: Operator, right: V) => V | undefined;
  readonly show: (value: V) => string;
}

/** Positive whole numbers, as fast as plain numbers are. */
const TIDY: Arithmetic<number> = {
  of: (number) => ({ value: number, number }),
  calculate: (left, operator, right) => {
    if (operator === "+") return left + right;
    if (operator === "-") return left > right ? left - right : undefined;
    if (operator === "/") return left % right === 0 ? left / right : undefined;
    const product = left * right;
    return Number.isSafeInteger(product) ? product : undefined;
  },
  show: String,
};

const EXACT: Arithmetic<Rational> = {
  of: (number) => ({ value: rationalOf(number), number }),
  calculate,
  show: showRational,
};

function explore<V>(puzzle: Puzzle, arithmetic: Arithmetic<V>, start: readonly Node<V>[]): Node<V> | undefined {
  const dead = new Set<string>();
  const target = String(puzzle.target);
  const visit = (nodes: readonly Node<V>[]): Node<V> | undefined => {
    const shown = nodes.map((node) => arithmetic.show(node.value));
    const hit = puzzle.use === "any" || nodes.length === 1 ? shown.indexOf(target) : -1;
    if (hit >= 0 || nodes.length < 2) return nodes[hit];
    const key = shown.sort().join(" ");
    if (dead.has(key)) return undefined;
    for (let one = 0; one < nodes.length; one += 1) {
      for (let other = 0; other < nodes.length; other += 1) {
        if (one === other) continue;
        const [left, right] = [nodes[one] as Node<V>, nodes[other] as Node<V>];
        const rest = nodes.filter((_, index) => index !== one && index !== other);
        // For + and * one order is enough.
        for (const operator of one < other ? ALL : ONE_WAY) {
          const value = arithmetic.calculate(left.value, operator, right.value);
          if (value === undefined) continue;
          const found = visit([...rest, { value, made: { left, operator, right } }]);
          if (found !== undefined) return found;
        }
      }
    }
    dead.add(key);
    return undefined;
  };
  return visit(start);
}

const ALL: readonly Operator[] = ["+", "*", "-", "/"];
const ONE_WAY: readonly Operator[] = ["-", "/"];

/** The same joins once more, now with their text. */
function write<V>({ number = 0, made }: Node<V>): Term {
  if (made === undefined) return lone(number);
  const [left, right] = [write(made.left), write(made.right)];
  const term = join(left, made.operator, right, false);
  if (term !== undefined) return term;
  throw new EngineError("internal", `${left.expression} ${made.operator} ${right.expression} cannot be worked out.`);
}

/** A number that has not been joined with another. */
export function lone(number: number): Term {
  return { value: rationalOf(number), expression: String(number), strength: 0, steps: [] };
}

/** `tidy`: only positive whole numbers may come out. */
export function join(left: Term, operator: Operator, right: Term, tidy: boolean): Term | undefined {
  const value = calculate(left.value, operator, right.value);
  if (value === undefined || (tidy && (value.denominator !== 1n || value.numerator <= 0n))) return undefined;
  const strength = operator === "+" || operator === "-" ? 2 : 1;
  // a - (b + c) and a / (b * c) need their brackets; a + (b - c) does not, but a * (b / c) keeps them to read well.
  const rightLimit = operator === "+" ? 2 : strength - 1;
  return {
    value,
    strength,
    expression: `${bracket(left, strength)} ${operator} ${bracket(right, rightLimit)}`,
    steps: [
      ...left.steps,
      ...right.steps,
      { left: showRational(left.value), operator, right: showRational(right.value), result: showRational(value) },
    ],
  };
}

function bracket(term: Term, limit: number): string {
  return term.strength > limit ? `(${term.expression})` : term.expression;
}
