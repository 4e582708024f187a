/** JSON: what a value of it is, and reading text that may not be any. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/**
 * Neither a list nor null. What comes from outside is JSON because it was parsed as such.
 *
 * @example
 * console.log([{ a: 1 }, [1], null].map(isObject)); // [ true, false, false ]
 */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Undefined where the text is not JSON.
 *
 * @example
 * console.log(parseJson("[1, 2]"), parseJson("[1, 2")); // [ 1, 2 ] undefined
 */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Undefined where the text is not a JSON object.
 *
 * @example
 * console.log(parseObject('{"tool":"search"}'), parseObject("[1]")); // { tool: "search" } undefined
 */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * JSON text that is the same for equal values: keys in order.
 *
 * @example
 * console.log(canonicalJson({ b: 1, a: [2] }) === canonicalJson({ a: [2], b: 1 })); // true
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, own: unknown) =>
    isObject(own) ? Object.fromEntries(Object.entries(own).sort(([left], [right]) => (left < right ? -1 : 1))) : own,
  );
}

/** A value as it is typed: numbers, true, false and JSON are read as such, any other text stands for itself. */
export function jsonOrText(text: string): Json {
  const value = parseJson(text);
  return value === undefined ? text : value;
}
