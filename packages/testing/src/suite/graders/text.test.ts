import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";
import type { GraderUse } from "../suite.ts";

const by = (match: string, more: { readonly not?: boolean } = {}): GraderUse => ({
  use: "text",
  options: { match, ...more },
});

test.each([
  ["equal", "the Jane Austen!", "Jane Austen", 1],
  ["equal", "It was Jane Austen", "Jane Austen", 0],
  ["exact", " Paris ", "Paris", 1],
  ["exact", "paris", "Paris", 0],
  ["contains", "I think it is New  York.", "new york", 1],
  ["contains", "Newark", "new", 0],
  ["pattern", "order #A-12 sent", "#[a-z]-\\d+", 1],
  ["pattern", "order 12 sent", "#[a-z]-\\d+", 0],
])("%s: %s against %s is %i", async (match, said, gold, score) => {
  expect(await scoreOf(by(match), finished([said], gold))).toBe(score);
});

test("one of several is enough, and the last thing counts", async () => {
  expect(await scoreOf("text", finished(["Rome"], ["Paris", "Rome"]))).toBe(1);
  expect(await scoreOf("text", finished(["Rome", "Oslo"], ["Paris", "Rome"]))).toBe(0);
  expect(await scoreOf(by("contains", { not: true }), finished(["I refuse"], "sure"))).toBe(1);
});

test("what is no text or no pattern is named", async () => {
  expect(await scoreOf("text", finished(["4"], 4))).toContain("has to be a text");
  expect(await scoreOf("text", finished(["4"], []))).toContain("has to be a text");
  expect(await scoreOf(by("pattern"), finished(["4"], "(?=4)"))).toContain("is no pattern");
  expect(await scoreOf({ use: "text", options: { match: "same" } }, finished(["4"], "4")).catch(String)).toContain(
    "same",
  );
});

test("a pattern that runs away elsewhere takes no time here", async () => {
  expect(await scoreOf(by("pattern"), finished(["a".repeat(50_000)], "^(a+)+b$"))).toBe(0);
});
