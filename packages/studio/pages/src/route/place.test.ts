import fc from "fast-check";
import { expect, test } from "vitest";
import { readPlace, setting, settings, wholeSetting, writePlace } from "./place.ts";

test("an address names page, thing and view", () => {
  const place = readPlace("#/runs/opid-1/trajectories/1%2Ftrain%2F0?colour=entropy&step=3&with=a&with=b");
  expect(place.segments).toEqual(["runs", "opid-1", "trajectories", "1/train/0"]);
  expect(setting(place, "colour")).toBe("entropy");
  expect(wholeSetting(place, "step")).toBe(3);
  expect(settings(place, "with")).toEqual(["a", "b"]);
  expect(settings(place, "none")).toEqual([]);
});

test("what was written is read back", () => {
  const code = fc.oneof(fc.integer({ min: 0, max: 0x2100 }), fc.integer({ min: 0xe000, max: 0x10ffff }));
  const word = fc.array(code, { minLength: 1 }).map((codes) => String.fromCodePoint(...codes));
  fc.assert(
    fc.property(fc.array(word), fc.dictionary(word, word, { noNullPrototype: false }), (segments, query) => {
      const place = readPlace(writePlace(segments, query));
      expect(place.segments).toEqual(segments);
      for (const [name, value] of Object.entries(query)) expect(setting(place, name)).toBe(value);
    }),
  );
});

test("empty settings have no address, and nonsense is read as something", () => {
  expect(writePlace(["runs"], { q: "", run: undefined, with: ["a", "b"] })).toBe("#/runs?with=a&with=b");
  expect(readPlace("").segments).toEqual([]);
  expect(readPlace("#/%E0%A4%A/x").segments).toEqual(["%E0%A4%A", "x"]);
  expect(wholeSetting(readPlace("#/?step=-1"), "step")).toBeUndefined();
  expect(setting(readPlace("#/?__proto__=x"), "__proto__")).toBe("x");
});
