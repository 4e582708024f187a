/**
 * The judge: is this text an expression over the given numbers that reaches the target? Exact, without rounding.
 *
 * Reward: 1 when solved, else 0. With partial credit, what is not solved still earns
 *   0                                     when no expression can be read,
 *   0.1                                   when it uses other numbers than given, or one too often, or leaves one out,
 *   0.1 + 0.4 max(0, 1 - |v - t| / t)     when the numbers are right and the value v misses the target t.
 * So a near miss stays below half of a solution.
 */
import { readExpression } from "./expression.ts";
import { calculate, equals, showRational, rationalOf, type Rational } from "./rational.ts";

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
