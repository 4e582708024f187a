import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../index.ts";
import { loadCatalog, loadClaims, parseCatalog } from "./catalog.ts";

const entries = loadCatalog();

test("holds every row once", () => {
  const names = entries.map((entry) => entry.system);
  expect(names).toHaveLength(204);
  expect(new Set(names).size).toBe(names.length);
});

test("a row that claims something names where it lives and a command that exists and works", () => {
  const names = Object.keys(commands);
  const bad = entries
    .filter((entry) => entry.state !== "not yet")
    .filter((entry) => {
      const [program, name = ""] = (entry.command ?? "").split(" ");
      const missing = entry.state === "part" && (entry.reason ?? "") === "";
      return program !== "limbeck" || !names.includes(name) || (entry.lives ?? "") === "" || missing;
    });
  expect(bad.map((entry) => entry.system)).toEqual([]);
});

test("what lives in a file lives there", () => {
  const files = entries.flatMap((entry) => entry.lives ?? []).filter((lives) => lives.startsWith("src/"));
  expect(files.filter((file) => !existsSync(new URL(`../../../${file}`, import.meta.url)))).toEqual([]);
});

test("a row that does not work says why and offers no command", () => {
  const bad = entries
    .filter((entry) => entry.state === "not yet")
    .filter((entry) => entry.command !== null || !(entry.reason ?? "").startsWith("Planned"));
  expect(bad.map((entry) => entry.system)).toEqual([]);
});

test("no claim is made for a system that is not in the catalog", () => {
  const names = new Set(entries.map((entry) => entry.system));
  const claims = loadClaims();
  expect(claims.filter(({ system }) => !names.has(system))).toEqual([]);
  expect(claims.filter(({ state }) => state !== "works" && state !== "part")).toEqual([]);
  expect(new Set(claims.map(({ system }) => system)).size).toBe(claims.length);
});

test("a broken catalog file is refused with the line", () => {
  const header = "system\ttitle\tfamily\tscope\troom\twhat\tmechanism\tproof\trepo";
  expect(() => parseCatalog("nonsense\n")).toThrow(/begins with "nonsense"/);
  expect(() => parseCatalog(`${header}\na\tb\n`)).toThrow("Line 2 of the catalog has 2 fields; expected 9.");
});
