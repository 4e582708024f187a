/** What `deploy` says must be what the commands take. Whether an image is built and run is not tested here. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { commands } from "../packages/limbeck/src/cli/index.ts";
import { parseWords } from "../packages/limbeck/src/cli/parse.ts";

const root = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(root, "deploy", name), "utf8");

type Tree = { readonly [key: string]: unknown };

function documents(name: string): Tree[] {
  return parseAllDocuments(read(name)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Tree;
  });
}

/** Every list of words below a key of this name. */
function wordsUnder(value: unknown, key: string): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && Array.isArray(inner) ? [inner as string[]] : wordsUnder(inner, key),
  );
}

test.each([
  ["compose.yaml", "command", 3],
  ["kubernetes.yaml", "args", 2],
])("%s starts commands that there are, with options that they take", (file, key, count) => {
  const calls = documents(file)
    .flatMap((document) => wordsUnder(document, key))
    .filter(([first = ""]) => first in commands);
  expect(calls).toHaveLength(count);
  // Throws a usage error at what is unknown.
  for (const words of calls) parseWords(words, commands);
});

test("every probe asks a page that servers have, at the port of its command", () => {
  for (const document of documents("kubernetes.yaml")) {
    const text = JSON.stringify(document);
    for (const [, path = "", port = ""] of text.matchAll(/"httpGet":\{"path":"([^"]+)","port":(\d+)\}/g)) {
      expect(["/healthz", "/readyz"]).toContain(path);
      expect(text).toContain(`"containerPort":${port}`);
    }
  }
});

test("the image copies folders that there are", () => {
  const copied = [...read("Containerfile").matchAll(/\/limbeck\/([\w.]+) \.\//g)].map(([, name = ""]) => name);
  expect(copied).toEqual(["package.json", "node_modules", "packages", "docs", "python"]);
  for (const name of copied) expect(existsSync(join(root, name))).toBe(true);
});
