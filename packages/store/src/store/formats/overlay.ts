/**
 * What one object says beyond another, field by field: the ground of every lossless round trip here.
 *
 * An exporter writes what the other format can hold, reads that back in its plain meaning, and keeps the difference
 * beside it; an importer does the same in the other direction. So nothing is lost and nothing is written twice, and no
 * list of special fields can be forgotten.
 */
import type { Json, JsonObject } from "limbeck-base/base/json";

const ABSENT = "$absent";

/**
 * The fields of `target` that `base` lacks or has otherwise, and under "$absent" the names it has too many. Undefined
 * when they are equal. A field whose name begins with "$" gets one more, so that no name is reserved.
 */
export function overlay(base: object, target: object): JsonObject | undefined {
  const before = new Map(Object.entries(base as JsonObject));
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(target as JsonObject)) {
    if (!before.has(name) || !sameJson(before.get(name), value)) {
      entries.push([name.startsWith("$") ? `$${name}` : name, value]);
    }
    before.delete(name);
  }
  if (before.size > 0) entries.push([ABSENT, [...before.keys()]]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** `target` again, from `base` and the overlay. */
export function applyOverlay(base: object, difference: JsonObject): JsonObject {
  const absent = difference[ABSENT];
  const dropped = new Set(Array.isArray(absent) ? absent : []);
  const fields = new Map(Object.entries(base as JsonObject).filter(([name]) => !dropped.has(name)));
  for (const [name, value] of Object.entries(difference)) {
    if (name !== ABSENT) fields.set(name.startsWith("$$") ? name.slice(1) : name, value);
  }
  return Object.fromEntries(fields);
}

/** Equality of JSON values. Node's own deep comparison also looks at prototypes and took half the time of an import. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((value, index) => sameJson(value, other[index]));
  }
  if (Array.isArray(other)) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every(
    (name) => Object.hasOwn(other, name) && sameJson((one as JsonObject)[name], (other as JsonObject)[name]),
  );
}
