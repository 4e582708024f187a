/** JSON text that is the same for equal values: keys in order. */
import type { Json } from "./trajectory.ts";

export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_, own: unknown) => {
    if (typeof own !== "object" || own === null || Array.isArray(own)) return own;
    return Object.fromEntries(Object.entries(own).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
