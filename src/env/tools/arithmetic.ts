/**
 * A pocket calculator: + - * / and brackets over decimal numbers. Text is read, never evaluated as code.
 *
 * Depth is bounded, so that a text of 100,000 brackets is an error and not a stack overflow.
 */
const MAX_DEPTH = 50;
const MAX_LENGTH = 1_000;

interface Reader {
  readonly tokens: readonly string[];
  at: number;
}

/** The value, or undefined when the text is not such an expression or has no finite value. */
export function calculate(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const tokens = text.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  const reader: Reader = { tokens, at: 0 };
  const value = sum(reader, 0);
  return value === undefined || reader.at < tokens.length || !Number.isFinite(value) ? undefined : value;
}

function sum(reader: Reader, depth: number): number | undefined {
  let value = product(reader, depth);
  while (value !== undefined && (peek(reader) === "+" || peek(reader) === "-")) {
    const sign = take(reader);
    const right = product(reader, depth);
    if (right === undefined) return undefined;
    value = sign === "+" ? value + right : value - right;
  }
  return value;
}

function product(reader: Reader, depth: number): number | undefined {
  let value = factor(reader, depth);
  while (value !== undefined && (peek(reader) === "*" || peek(reader) === "/")) {
    const sign = take(reader);
    const right = factor(reader, depth);
    if (right === undefined) return undefined;
    value = sign === "*" ? value * right : value / right;
  }
  return value;
}

function factor(reader: Reader, depth: number): number | undefined {
  const token = take(reader);
  if (token === undefined || depth > MAX_DEPTH) return undefined;
  if (token === "-") {
    const value = factor(reader, depth + 1);
    return value === undefined ? undefined : -value;
  }
  if (token === "(") {
    const value = sum(reader, depth + 1);
    return take(reader) === ")" ? value : undefined;
  }
  return /^\d/.test(token) ? Number(token) : undefined;
}

function peek(reader: Reader): string | undefined {
  return reader.tokens[reader.at];
}

function take(reader: Reader): string | undefined {
  const token = reader.tokens[reader.at];
  reader.at += 1;
  return token;
}
