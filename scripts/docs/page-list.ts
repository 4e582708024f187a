/** Every page of the documentation. */
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Paths in the repository, in the order of the alphabet: `docs/learn/demo.md`. */
export function docPages(root: string): string[] {
  return docFiles(root).filter((path) => path.endsWith(".md"));
}

export function docFiles(root: string): string[] {
  return readdirSync(join(root, "docs"), { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join("/"))
    .toSorted();
}
