import { expect, test } from "vitest";
import { chainGrade, finished, scoreOf } from "../../../../../test/support/finished-episode.ts";
import { citedIn } from "./evidence.ts";

test("lines are cited in brackets, alone, as a range or with their document", () => {
  expect([...citedIn("Seen [3], [5-6] and [a.md: 7; 9].")]).toEqual([":3", ":5", ":6", "a.md:7", ":9"]);
  expect([...citedIn("[x] [12-3] [1-99999999] []")]).toEqual([]);
});

const by = (options: { readonly [name: string]: string | number | string[] }) => ({ use: "evidence", options });

test("every line and none too many, or as far as the two sets agree", async () => {
  const lines = ["3-4"];
  expect(await scoreOf(by({ lines }), finished(["So [3, 4]"]))).toBe(1);
  expect(await scoreOf(by({ lines }), finished(["So [3]"]))).toBe(0);
  expect(await scoreOf(by({ lines }), finished(["So [3-5]"]))).toBe(0);
  expect(await scoreOf(by({ lines, spare: 1 }), finished(["So [3-5]"]))).toBe(1);
  // Both sets have 2 and share 1: 2 * 1 / 4.
  expect(await scoreOf(by({ lines, by: "f1" }), finished(["So [4-5]"]))).toBe(0.5);
  expect(await scoreOf(by({ lines: ["three"] }), finished(["x"]))).toContain("three");
  expect(await scoreOf(by({ lines: [] }), finished(["x"])).catch(String)).toContain("lines");
});

test("in a chain the right answer with the wrong lines is 0, and the parts say which", async () => {
  const chain = ["number", by({ lines: ["2"] })];
  expect(await scoreOf(chain, finished(["42 [2] #### 42"], 42))).toBe(1);
  const { score, parts } = await chainGrade(chain, finished(["42 [3] #### 42"], 42));
  expect(score).toMatchObject({ value: 0 });
  expect(parts).toMatchObject({ number: { score: { value: 1 } }, evidence: { score: { value: 0 } } });
  expect(await scoreOf(chain, finished(["41 [2] #### 41"], 42))).toBe(0);
});
