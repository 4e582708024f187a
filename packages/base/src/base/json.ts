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

/** Deeper than anything that was meant; what works its way down such a value overflows the stack from some thousands on. */
const DEEPEST = 500;

/** `JSON.parse` with a bound: text that is nested deeper than 500 is no JSON to us. Throws a SyntaxError. */
export function boundedJson(text: string): Json {
  if (isTooDeep(text)) throw new SyntaxError(`it is nested more than ${DEEPEST} deep`);
  return JSON.parse(text) as Json;
}

const [QUOTE, ESCAPE] = [0x22, 0x5c];

/** Brackets that are open at once, without those inside of strings. */
export function isTooDeep(text: string): boolean {
  if (text.length <= 2 * DEEPEST) return false;
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== QUOTE; at += 1) {
        if (text.charCodeAt(at) === ESCAPE) at += 1;
      }
    } else if (unit === 0x5b || unit === 0x7b) {
      open += 1;
      if (open > DEEPEST) return true;
    } else if (unit === 0x5d || unit === 0x7d) open -= 1;
  }
  return false;
}

/**
 * Undefined where the text is not JSON.
 *
 * @example
 * console.log(parseJson("[1, 2]"), parseJson("[1, 2")); // [ 1, 2 ] undefined
 */
export function parseJson(text: string): Json | undefined {
  try {
    return boundedJson(text);
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
