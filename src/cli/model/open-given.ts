/** Numbers, for commands that are not operations yet. */
import type { Invocation } from "../command.ts";
import { parseCount, usageError } from "../parse.ts";

/** A number, or a usage error that names the option and its bounds. */
export function givenNumber(
  invocation: Invocation,
  option: string,
  bounds: { readonly otherwise: number; readonly low: number; readonly high?: number },
): number {
  const text = invocation.text(option);
  if (text === undefined) return bounds.otherwise;
  const { low, high = Number.MAX_VALUE } = bounds;
  const value = Number(text);
  if (text.trim() !== "" && value >= low && value <= high) return value;
  const allowed = high === Number.MAX_VALUE ? `of at least ${low}` : `from ${low} to ${high}`;
  throw usageError(`--${option} must be a number ${allowed}; got "${text}".`);
}

/** The same, or undefined: what was not given is the library's to decide. */
export function maybeNumber(
  invocation: Invocation,
  option: string,
  bounds: { readonly low: number; readonly high?: number },
): number | undefined {
  return invocation.text(option) === undefined
    ? undefined
    : givenNumber(invocation, option, { otherwise: 0, ...bounds });
}

export function maybeCount(invocation: Invocation, option: string, least = 1): number | undefined {
  const text = invocation.text(option);
  return text === undefined ? undefined : parseCount(text, option, least);
}

export function givenCount(invocation: Invocation, option: string, otherwise: number, least = 1): number {
  return maybeCount(invocation, option, least) ?? otherwise;
}
