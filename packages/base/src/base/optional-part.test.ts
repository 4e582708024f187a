import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OPTIONAL_PARTS, optionalPart } from "./optional-part.ts";

type Manifest = Record<
  "dependencies" | "devDependencies" | "peerDependencies" | "peerDependenciesMeta",
  Record<string, unknown>
>;

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(new URL(`../../../../${folder}package.json`, import.meta.url), "utf8")) as Manifest;

test("a package that is not installed is named, with the command that installs it", async () => {
  const missing = Object.assign(new Error("Cannot find package 'bullmq'"), { code: "ERR_MODULE_NOT_FOUND" });
  const error = await optionalPart("fleet", () => Promise.reject(missing)).catch((thrown: unknown) => thrown);
  // In a clone every one of them is in the lock; test/package.system.test.ts shows the command of an installed package.
  expect(error).toMatchObject({
    code: "package-missing",
    message: expect.stringMatching(/^A fleet needs bullmq and ioredis, .*\n {2}npm ci$/) as string,
    details: { part: "fleet", packages: ["bullmq", "ioredis"], command: "npm ci" },
    cause: missing,
  });
});

test("what goes wrong inside a package is not called missing", async () => {
  const broken = new TypeError("x is not a function");
  await expect(optionalPart("fleet", () => Promise.reject(broken))).rejects.toBe(broken);
});

test("every such package is an optional peer, and installed in a clone", () => {
  const packages = Object.values(OPTIONAL_PARTS).flatMap((part): readonly string[] => part.packages);
  const [manifest, clone] = [manifestIn("packages/limbeck/"), manifestIn("")];
  for (const name of packages) {
    expect([name, manifest.peerDependencies[name], manifest.dependencies[name]]).toEqual([
      name,
      expect.stringMatching(/^\^/),
      undefined,
    ]);
    expect(clone.devDependencies[name]).toBeDefined();
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
  }
});
