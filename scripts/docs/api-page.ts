/** `docs/api.md`: every public name by its door, with its signature in one line, from the type declarations. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { doorsOf } from "../../test/support/doc-examples.ts";
import { GENERATED } from "./markdown.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Longer types of constants are told by their keys: those of a registry are its entries. */
const LONGEST = 400;

export function apiPage(): string {
  const folder = mkdtempSync(join(tmpdir(), "limbeck-declarations-"));
  try {
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const words = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder];
    execFileSync(process.execPath, [compiler, ...words], { cwd: root });
    const read = createReader();
    const doors = doorsOf(root).map(({ name, file }) => {
      const path = join(folder, file.replace(/^src\//, "").replace(/\.ts$/, ".d.ts"));
      const lines = [...read(path)].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, line]) => line);
      return [`## ${name}`, "", "```text", ...lines, "```"].join("\n");
    });
    return `${[
      GENERATED,
      "# Public names",
      "Every name of every door of the package. A change of this page is a change of the public surface.",
      ...doors,
    ].join("\n\n")}\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Names = ReadonlyMap<string, string>;

/** What a file of declarations exports: the line of each name. */
function createReader(): (path: string) => Names {
  const known = new Map<string, Names>();
  const read = (path: string): Names => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const names = new Map<string, string>();
    known.set(path, names);
    const text = readFileSync(path, "utf8");
    const imported = new Map<string, readonly [file: string, name: string]>();
    const own = new Map<string, string>();
    const fileOf = (source: string): string => join(dirname(path), source.replace(/\.ts$/, ".d.ts"));
    for (const node of parseSync(path, text).program.body) {
      if (node.type === "ImportDeclaration") {
        for (const one of node.specifiers) {
          if (one.type !== "ImportSpecifier") continue;
          imported.set(one.local.name, [fileOf(node.source.value), wordOf(one.imported)]);
        }
      } else if (node.type === "ExportNamedDeclaration") {
        if (node.declaration !== null) {
          for (const [name, line] of linesOf(node.declaration, text)) {
            own.set(name, line);
            names.set(name, line);
          }
        }
        for (const { local, exported } of node.specifiers) {
          const [from, name] =
            node.source === null
              ? (imported.get(wordOf(local)) ?? [path, wordOf(local)])
              : [fileOf(node.source.value), wordOf(local)];
          const line = (from === path ? own : read(from)).get(name) ?? name;
          const alias = wordOf(exported);
          names.set(alias, alias === name ? line : `${alias} = ${line}`);
        }
      } else for (const [name, line] of linesOf(node, text)) own.set(name, line);
    }
    return names;
  };
  return read;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Declared extends Node {
  readonly id?: { readonly name?: string } | null;
  readonly declarations?: readonly (Node & {
    readonly id: Node & { readonly name?: string; readonly typeAnnotation?: { readonly typeAnnotation: Node } | null };
  })[];
}

function linesOf(node: Node, text: string): [string, string][] {
  const { id, declarations } = node as Declared;
  if (declarations !== undefined) {
    return declarations.flatMap(({ id: { name, ...rest }, start, end }): [string, string][] => {
      if (name === undefined) return [];
      const line = `const ${oneLine(text.slice(start, end))}`;
      const type = rest.typeAnnotation?.typeAnnotation;
      return [[name, line.length > LONGEST && type !== undefined ? `const ${name}: ${keysOf(type, text)}` : line]];
    });
  }
  return id?.name === undefined ? [] : [[id.name, oneLine(text.slice(node.start, node.end))]];
}

function keysOf(type: Node & { readonly members?: readonly Node[] }, text: string): string {
  if (type.members === undefined) return `${oneLine(text.slice(type.start, type.end)).slice(0, LONGEST)}…`;
  const keys = type.members.map((member) => {
    const { key } = member as Node & { readonly key?: Node };
    return key === undefined ? "…" : text.slice(key.start, key.end);
  });
  return `{ ${keys.join(", ")} }`;
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^declare /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function wordOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}
