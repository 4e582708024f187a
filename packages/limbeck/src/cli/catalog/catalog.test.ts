import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { loadCatalog, loadClaims, parseCatalog, parseClaims } from "./catalog.ts";

const entries = loadCatalog();

test("holds every row once", () => {
  const names = entries.map((entry) => entry.system);
  expect(names).toHaveLength(204);
  expect(new Set(names).size).toBe(names.length);
});

test("what lives somewhere lives there", () => {
  const files = entries.flatMap((entry) => entry.lives ?? []);
  expect(files.filter((file) => !file.startsWith("packages/"))).toEqual([]);
  expect(files.filter((file) => !existsSync(new URL(`../../../../../${file}`, import.meta.url)))).toEqual([]);
});

test("no claim is made for a system that is not in the catalog", () => {
  const names = new Set(entries.map((entry) => entry.system));
  expect([...loadClaims().keys()].filter((system) => !names.has(system))).toEqual([]);
});

test("a claim is told in one shape, whatever its state", () => {
  const [works, measured, part, notYet] = ["works", "measured", "part", "not yet"].map((state) =>
    entries.find((entry) => entry.state === state),
  );
  expect([works?.command, works?.metric, works?.shownBy[0]]).toEqual(Array(3).fill(expect.any(String)));
  expect(measured?.reason).toMatch(/Likely cause: /);
  expect([part?.metric, part?.reason, part?.shownBy]).toEqual([null, expect.any(String), []]);
  expect([notYet?.lives, notYet?.command, notYet?.reason]).toEqual([null, null, expect.stringMatching(/^Waits for /)]);
});

test("a claim that lacks what its state needs is refused by name", () => {
  expect(() => parseClaims("A: { state: works, lives: src, command: limbeck train }")).toThrow(
    /The claim of "A" cannot be read\. metric: .*; proof: /,
  );
  const bare = "lives: src, command: limbeck train, proof: a, off: b, fallen: 0";
  expect(() => parseClaims(`A: { state: works, ${bare}, metric: credit/groups }`)).toThrow(
    'metric: expected a condition such as "credit/groups > 0"',
  );
  expect(() => parseClaims(`A: { state: measured, ${bare}, metric: a > 0 }`)).toThrow(/figures: .*; cause: /);
  expect(() => parseClaims("A: { state: part, lives: src }")).toThrow(/missing: /);
  expect(() => parseClaims("A: { state: not yet }")).toThrow(/waits: /);
  expect(() => parseClaims("A: { state: soon }")).toThrow(/state: /);
  expect(() => parseClaims("A: { state: not yet, waits: b }\nA: { state: not yet, waits: b }")).toThrow(
    /no YAML.*unique/,
  );
});

test("a broken catalog file is refused with the line", () => {
  const header = "system\ttitle\tfamily\tscope\troom\twhat\tmechanism\tproof\trepo";
  expect(() => parseCatalog("nonsense\n")).toThrow(/begins with "nonsense"/);
  expect(() => parseCatalog(`${header}\na\tb\n`)).toThrow("Line 2 of the catalog has 2 fields; expected 9.");
});
