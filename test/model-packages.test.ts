/** The packages of models as they lie here: each says what it is, and nothing large joins them. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { bundledNames } from "../packages/policy/src/policy/local/bundled-model.ts";
import { listHash } from "../packages/policy/src/policy/local/install-model.ts";
import { bundledModels, modelPackages } from "../packages/policy/src/policy/starts.ts";

const root = resolve(import.meta.dirname, "..");
const read = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");
const json = (...path: string[]): Record<string, unknown> => JSON.parse(read(...path)) as Record<string, unknown>;

/** Those of before the bound. Nothing is added to this list. */
const LARGER = ["archive/model.safetensors", "base-model/model.safetensors", "writer-model/model.safetensors"];
const MOST_BYTES = 2_500_000;

const packages = Object.entries(modelPackages);
const found = readdirSync(join(root, "packages")).filter((name) => /-models?$/.test(name));

test("every package of models is known, and a member of the workspace", () => {
  expect(packages.map(([, { folder }]) => folder).sort()).toEqual(found.sort());
  expect(json("package.json")["workspaces"]).toEqual(["packages/*"]);
  const lock = json("package-lock.json")["packages"] as Record<string, unknown>;
  for (const [name, { folder }] of packages) {
    expect(lock[`node_modules/${name}`]).toEqual({ resolved: `packages/${folder}`, link: true });
    expect(lock[`packages/${folder}`]).toMatchObject({ name, license: "Apache-2.0" });
  }
});

test("every world with a model of its own has it here", () => {
  expect([...bundledNames]).toEqual(Object.keys(bundledModels));
  // The demo needs it, so it comes with the main package.
  expect(json("packages/limbeck/package.json")["dependencies"]).toHaveProperty("limbeck-household-model");
});

describe.each(packages)("%s", (name, { folder, bytes, sha256 }) => {
  const { weights, ...manifest } = json("packages", folder, "package.json") as { weights: Record<string, string> };

  test("has its name, licence, and a list of all its weights", () => {
    expect(manifest).toMatchObject({ name, license: "Apache-2.0", version: json("package.json")["version"] });
    expect(read("packages", folder, "LICENSE")).toBe(read("LICENSE"));
    const all = readdirSync(join(root, "packages", folder), { recursive: true, encoding: "utf8" });
    const held = all.map((path) => path.replaceAll("\\", "/")).filter((path) => path.endsWith(".safetensors"));
    expect(Object.keys(weights).sort()).toEqual(held.sort());
    expect(listHash(weights)).toBe(sha256);
    const sizes = held.map((path) => statSync(join(root, "packages", folder, path)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
  });

  test("has a card for every model, and a way to make it again", () => {
    const card = read("packages", folder, "README.md");
    const command = /^## Make it again$[\s\S]*?((?:\n {4}.*)+)/m.exec(card)?.[1] ?? "";
    expect(command).not.toBe("");
    const scripts = json("package.json")["scripts"] as Record<string, string>;
    for (const [, script = ""] of command.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([script]);
    for (const [path] of command.matchAll(/research\/\S+/g)) expect(existsSync(join(root, path))).toBe(true);
    for (const file of Object.keys(weights).filter((path) => /(?:^|\/)model\.safetensors$/.test(path))) {
      const own = read("packages", folder, file.replace("model.safetensors", "README.md"));
      expect(own).toMatch(/^license: apache-2\.0$/m);
    }
  });

  test("has no new model of more than 2.5 MB", () => {
    const large = Object.keys(weights).filter(
      (path) => statSync(join(root, "packages", folder, path)).size > MOST_BYTES,
    );
    expect(LARGER).toEqual(
      expect.arrayContaining(large.map((path) => (path.includes("/") ? path : `${folder}/${path}`))),
    );
  });
});
