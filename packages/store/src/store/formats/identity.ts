/** Names for what came without one: from the content alone, so that the same file gives the same names anywhere. */
import { createHash } from "node:crypto";
import { canonicalJson } from "limbeck-base/base/json";

/** Sixteen hex digits of a text. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Sixteen hex digits of a JSON value; the order of keys does not matter. */
export function contentHash(value: unknown): string {
  return shortHash(canonicalJson(value));
}

/**
 * Makes ids unique within one import: the second "a" becomes "a-2". It remembers 52 bits of each id instead of the id,
 * so ten million of them stay below half a gigabyte; a chance collision costs a suffix and nothing else.
 */
export function createUnique(): (id: string) => string {
  const seen = new Set<number>();
  // The suffix to try next, only for ids that did come twice: a million equal ids are then a million steps.
  const suffixes = new Map<number, number>();
  const keyOf = (id: string): number => Number.parseInt(shortHash(id).slice(0, 13), 16);
  return (id) => {
    const own = keyOf(id);
    let name = id;
    for (let key = own; seen.has(key); key = keyOf(name)) {
      const number = suffixes.get(own) ?? 2;
      suffixes.set(own, number + 1);
      name = `${id}-${number}`;
    }
    seen.add(keyOf(name));
    return name;
  };
}
