/** Every entry that claims code, a paper or a reading names what was read, and published numbers are compared with. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EntryInfo } from "../packages/base/src/base/method-info.ts";
import { allEntries } from "../packages/limbeck/src/cli/methods/all-methods.ts";
import { judgings } from "../packages/training/src/training/judge/registry.ts";
import { publishedNames } from "./support/published.ts";

/** Read in a copy that does not say its commit. */
const WITHOUT_COMMIT = ["credit a2tgpo"];

/** May fall, never rise: who adds an entry from an abstract reads another one better. */
const MOST_INFERRED = 22;

const entries: readonly (readonly [name: string, info: EntryInfo])[] = [
  ...(await allEntries()).map((entry) => [`${entry.room} ${entry.id}`, entry] as const),
  ...Object.entries(judgings).map(([id, { info }]) => [`judge ${id}`, info] as const),
];

function named(wanted: (info: EntryInfo) => boolean): string[] {
  return entries.filter(([, info]) => wanted(info)).map(([name]) => name);
}

test("what follows code, a paper or a reading names its source", () => {
  const mustName: readonly EntryInfo["confidence"][] = ["code", "paper", "reading"];
  expect(named(({ confidence, source = "" }) => mustName.includes(confidence) && source.trim() === "")).toEqual([]);
});

test("a source of code is a repository at a commit, and a place in it", () => {
  const isPlace = /^[\w.-]+\/[\w.-]+ @ [0-9a-f]{8}; \S/u;
  expect(named(({ confidence, source = "" }) => confidence === "code" && !isPlace.test(source))).toEqual(
    WITHOUT_COMMIT,
  );
});

test("few entries follow no more than an abstract", () => {
  expect(named(({ confidence }) => confidence === "inferred").length).toBeLessThanOrEqual(MOST_INFERRED);
});

test("every file of published numbers is read by a test", () => {
  const root = join(import.meta.dirname, "..");
  const tests = ["packages", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
      .map((file) => readFileSync(join(root, folder, file), "utf8")),
  );
  const read = new Set(
    tests.flatMap((text) => [...text.matchAll(/\bpublished\w*(?:<[^(]*>)?\(\s*"([^"]+)"/gu)].map((found) => found[1])),
  );
  expect(publishedNames().filter((name) => !read.has(name))).toEqual([]);
});
