import { expect, test } from "vitest";
import { readWording, writeWording } from "./wording.ts";

test("what was written is read back", () => {
  const wording = "On the way stop at {first} and {second}.";
  const text = writeWording(wording, { first: "Tarn", second: "Orlow" });
  expect(text).toBe("On the way stop at Tarn and Orlow.");
  expect(readWording(wording, text)).toEqual({ first: "Tarn", second: "Orlow" });
});

test("a sentence begins with a capital, and is read back in any case", () => {
  expect(writeWording("{count} crates in all.", { count: "three" })).toBe("Three crates in all.");
  expect(readWording("{count} crates in all.", "Three crates in all.")).toEqual({ count: "Three" });
});

test("signs of patterns are only signs", () => {
  expect(readWording("How much longer?", "How much longe")).toBeUndefined();
  expect(readWording("It is (almost) done.", "It is (almost) done.")).toEqual({});
  expect(readWording("It is done.", "It is done!")).toBeUndefined();
  expect(writeWording("{gone}!")).toBe("!");
});
