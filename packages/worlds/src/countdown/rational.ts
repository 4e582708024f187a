/** Fractions of whole numbers of any size, always in lowest terms with a positive denominator. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export type Operator = "+" | "-" | "*" | "/";

export function rationalOf(value: number | bigint): Rational {
  return { numerator: BigInt(value), denominator: 1n };
}

/** Undefined for a division by zero. */
export function calculate(left: Rational, operator: Operator, right: Rational): Rational | undefined {
  return OPERATIONS[operator](left, right);
}

export function equals(left: Rational, right: Rational): boolean {
  return left.numerator === right.numerator && left.denominator === right.denominator;
}

export function showRational({ numerator, denominator }: Rational): string {
  return denominator === 1n ? `${numerator}` : `${numerator}/${denominator}`;
}

const OPERATIONS: Readonly<Record<Operator, (left: Rational, right: Rational) => Rational | undefined>> = {
  "+": (left, right) =>
    reduce(
      left.numerator * right.denominator + right.numerator * left.denominator,
      left.denominator * right.denominator,
    ),
  "-": (left, right) =>
    reduce(
      left.numerator * right.denominator - right.numerator * left.denominator,
      left.denominator * right.denominator,
    ),
  "*": (left, right) => reduce(left.numerator * right.numerator, left.denominator * right.denominator),
  "/": (left, right) =>
    right.numerator === 0n ? undefined : reduce(left.numerator * right.denominator, left.denominator * right.numerator),
};

function reduce(numerator: bigint, denominator: bigint): Rational {
  let [greater, smaller] = [absolute(numerator), absolute(denominator)];
  while (smaller !== 0n) [greater, smaller] = [smaller, greater % smaller];
  const sign = denominator < 0n ? -1n : 1n;
  return { numerator: (sign * numerator) / greater, denominator: absolute(denominator) / greater };
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
