/** What is installed is pinned, may be passed on and runs nothing at install; an advisory that matches is found without a network. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  advisoryMatches,
  compareVersions,
  dependencyFaults,
  type Packages,
  readAdvisories,
} from "../scripts/package/dependencies.ts";

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  packages: Packages;
};
const good = { version: "1.2.3", integrity: "sha512-x", license: "MIT" };

test("the lock of the house has no fault, and npm runs nothing at install", () => {
  expect(dependencyFaults(packages)).toEqual([]);
  expect(readFileSync(new URL("../.npmrc", import.meta.url), "utf8")).toContain("ignore-scripts=true");
});

test.each([
  [{ ...good, integrity: undefined }, /not pinned/],
  [{ ...good, version: "^1.2.3" }, /not pinned/],
  [{ ...good, resolved: "git+ssh://git@host/x.git#1" }, /comes from git/],
  [{ ...good, license: "GPL-3.0" }, /under GPL-3.0/],
  [{ ...good, license: "MPL-2.0" }, /under MPL-2.0/],
  [{ ...good, hasInstallScript: true }, /runs a program at install/],
])("%j is a fault", (entry, why) => {
  expect(dependencyFaults({ "node_modules/a/node_modules/@x/y": entry as Packages[string] })).toEqual([
    expect.stringMatching(why),
  ]);
});

test("a tool of the house alone may be under a licence that is not passed on", () => {
  expect(dependencyFaults({ "node_modules/y": { ...good, license: "MPL-2.0", dev: true } })).toEqual([]);
});

// SemVer's own example, item 11: 1.0.0-alpha < 1.0.0-alpha.1 < 1.0.0-alpha.beta < 1.0.0-beta < 1.0.0-beta.2 < 1.0.0-beta.11 < 1.0.0-rc.1 < 1.0.0.
test("versions are ordered as SemVer orders them", () => {
  const ordered =
    "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.2.0 1.10.0".split(
      " ",
    );
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
});

test("an advisory matches from its introduction to its fix, and one that was withdrawn or is of another ecosystem does not", () => {
  const at = (version: string): Packages => ({ "node_modules/@x/y": { ...good, version } });
  const events = [{ introduced: "1.0.0" }, { fixed: "1.2.3" }, { introduced: "2.0.0" }, { last_affected: "2.1.0" }];
  const advisory = {
    id: "GHSA-1",
    summary: "Loses data.",
    affected: [{ package: { ecosystem: "npm", name: "@x/y" }, ranges: [{ type: "SEMVER", events }] }],
  };
  const found = (version: string): number => advisoryMatches(at(version), [advisory]).length;
  expect(["0.9.9", "1.0.0", "1.2.2", "1.2.3", "1.9.0", "2.0.0", "2.1.0", "2.1.1"].map(found)).toEqual([
    0, 1, 1, 0, 0, 1, 1, 0,
  ]);
  expect(advisoryMatches(at("1.1.0"), [advisory])).toEqual(["GHSA-1: node_modules/@x/y 1.1.0 (Loses data.)"]);
  expect(advisoryMatches(at("1.1.0"), [{ ...advisory, withdrawn: "2026-01-01T00:00:00Z" }])).toEqual([]);
  const other = { affected: [{ package: { ecosystem: "PyPI", name: "@x/y" }, versions: ["1.1.0"] }] };
  expect(advisoryMatches(at("1.1.0"), [other])).toEqual([]);
  expect(readAdvisories(`${JSON.stringify(advisory)}\n${JSON.stringify(other)}\n`)).toHaveLength(2);
  expect(readAdvisories(JSON.stringify([advisory]))).toHaveLength(1);
  expect(() => readAdvisories("[{}]")).toThrow('Entry 1 has no "affected"');
});
