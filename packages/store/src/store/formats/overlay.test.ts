import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "limbeck-base/base/json";
import { createUnique } from "./identity.ts";
import { applyOverlay, overlay, sameJson } from "./overlay.ts";

const keys = fc.constantFrom("a", "b", "$", "$absent", "$$x", "__proto__");
const value = fc.oneof(
  fc.constantFrom(null, 0, 1, "", "x", true),
  fc.json().map((text) => JSON.parse(text) as unknown),
);
// Through text, as it comes from files: only so can a key be called "__proto__".
const object = fc
  .array(fc.tuple(keys, value), { maxLength: 5 })
  .map(
    (pairs) =>
      JSON.parse(
        `{${pairs.map(([key, item]) => `${JSON.stringify(key)}:${JSON.stringify(item)}`).join(",")}}`,
      ) as JsonObject,
  );

test("any object can be rebuilt from any other and the difference", () => {
  fc.assert(
    fc.property(object, object, (base, target) => {
      const difference = overlay(base, target);
      const stored = difference === undefined ? {} : (JSON.parse(JSON.stringify(difference)) as JsonObject);
      expect(isDeepStrictEqual(applyOverlay(base, stored), target)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test("equal objects have no difference; the difference names what is too many", () => {
  expect(overlay({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBeUndefined();
  expect(overlay({ a: 1, b: 2 }, { a: 1, c: 3, $d: 4 })).toEqual({ c: 3, $$d: 4, $absent: ["b"] });
});

test("equality of JSON agrees with Node's own", () => {
  const json = fc.json({ maxDepth: 3 });
  fc.assert(
    fc.property(json, json, (one, other) => {
      const [left, right] = [JSON.parse(one), JSON.parse(other)] as [unknown, unknown];
      // A negative zero is a zero in JSON's own eyes once it was written.
      const normal = (item: unknown): unknown => JSON.parse(JSON.stringify(item));
      expect(sameJson(left, right)).toBe(isDeepStrictEqual(normal(left), normal(right)));
      expect(sameJson(left, normal(left))).toBe(true);
    }),
  );
  expect(sameJson({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(true);
  expect(sameJson([1], { 0: 1 })).toBe(false);
});

test("ids stay unique, also against suffixes that were there before", () => {
  const unique = createUnique();
  expect(["a-2", "a", "a", "a", "b", "a-2"].map(unique)).toEqual(["a-2", "a", "a-3", "a-4", "b", "a-2-2"]);
});
