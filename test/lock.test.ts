/** `npm ci` must bring every native part on every platform. A lock written on one machine can silently lack the others'. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { familiesOf, type Lock, lockFaults } from "../scripts/platforms/lock.ts";
import { platformOf } from "../scripts/platforms/platforms.ts";

const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as Lock;

/** Path and reason. None today: every package can be had. */
const WITHOUT_INTEGRITY: ReadonlyMap<string, string> = new Map();
const faultsOf = (packages: Lock["packages"]) => lockFaults({ packages }, new Set(WITHOUT_INTEGRITY.keys()));

test("every part with native files has its package, version and integrity for every platform", () => {
  expect(faultsOf(lock.packages)).toEqual([]);
});

test("the parts that the engine and its tools stand on are found", () => {
  const found = familiesOf(lock).map(({ name }) => name);
  expect(found).toEqual(
    expect.arrayContaining([
      "@duckdb/node-bindings",
      "esbuild",
      "lightningcss",
      "msgpackr-extract",
      "oxlint",
      "rolldown",
      "typescript",
    ]),
  );
});

test.each([
  ["node_modules/@duckdb/node-bindings-linux-arm64", "@duckdb/node-bindings-linux-arm64", "linux-arm64"],
  ["node_modules/@rolldown/binding-darwin-x64", "@rolldown/binding-darwin-x64", "darwin-x64"],
  ["node_modules/@msgpackr-extract/msgpackr-extract-win32-x64", "msgpackr-extract-win32-x64", "win32-x64"],
  ["node_modules/lightningcss-linux-x64-musl", "lightningcss-linux-x64-musl", "linux-x64-musl"],
])("without %s, or without its integrity, the fault names package and platform", (path, name, platform) => {
  const { [path]: entry, ...others } = lock.packages;
  expect(entry).toBeDefined();
  for (const [packages, why] of [
    [others, "no entry in the lock"],
    [{ ...others, [path]: { version: entry!.version! } }, "no integrity in the lock"],
    [{ ...others, [path]: { ...entry, version: "0.0.1" } }, "the lock has version 0.0.1"],
  ] as const) {
    const faults = faultsOf(packages);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(name);
    expect(faults[0]).toContain(platform);
    expect(faults[0]).toContain(why);
  }
});

test("any other entry without integrity is a fault, unless it is listed", () => {
  const packages = { ...lock.packages, "node_modules/zod": { version: "4.0.0" } };
  expect(faultsOf(packages)).toEqual(["zod@4.0.0: no integrity in the lock (node_modules/zod)."]);
  expect(lockFaults({ packages }, new Set(["node_modules/zod"]))).toEqual([]);
});

test("a maker who leaves a platform out is a fault", () => {
  const optionalDependencies = { "a-linux-x64": "1.0.0", "a-linux-arm64": "1.0.0", "a-darwin-arm64": "1.0.0" };
  const entry = { version: "1.0.0", integrity: "sha512-x" };
  const packages = {
    "node_modules/a": { ...entry, optionalDependencies },
    // One lies beside the package that asks, the others above it: both are where Node looks.
    "node_modules/a/node_modules/a-linux-x64": entry,
    "node_modules/a-linux-arm64": entry,
    "node_modules/a-darwin-arm64": entry,
  };
  expect(faultsOf(packages)).toEqual([
    "a@1.0.0: its maker offers no package for darwin-x64.",
    "a@1.0.0: its maker offers no package for win32-x64.",
  ]);
});

test.each([
  ["@esbuild/win32-x64", "win32-x64"],
  ["@rolldown/binding-win32-x64-msvc", "win32-x64"],
  ["@oxlint/binding-linux-arm64-gnu", "linux-arm64"],
  ["@oxlint/binding-linux-arm64-musl", "linux-arm64-musl"],
  ["@typescript/typescript-darwin-arm64", "darwin-arm64"],
  ["@esbuild/linux-arm", undefined],
  ["@rolldown/binding-wasm32-wasi", undefined],
  ["fsevents", undefined],
])("%s is made for %s", (name, platform) => {
  expect(platformOf(name)?.name).toBe(platform);
});
