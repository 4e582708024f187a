/** What the public doors declare: every name with its declaration and its doc comment, from the compiler's declarations. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { fileOf, namedPath } from "../layout.ts";
import { doorsOf } from "../../test/support/doc-examples.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Longer types of constants are told by their keys: those of a registry are its entries. */
const LONGEST = 400;

export type Kind = "function" | "class" | "interface" | "type" | "const";

export interface Declaration {
  readonly name: string;
  readonly kind: Kind;
  /** The source file, from the root of the repository. */
  readonly file: string;
  /** As the compiler writes it, with the comments of its members. */
  readonly text: string;
  /** Its doc comment, without stars. Empty where it has none. */
  readonly comment: string;
}

export interface Door {
  /** `limbeck/credit`. */
  readonly name: string;
  /** The first sentence of its file. */
  readonly plate: string;
  /** By the name under which the door has it; a function with several signatures has a declaration for each. */
  readonly names: ReadonlyMap<string, readonly Declaration[]>;
}

/** Every door of the package, in the order of its manifest. */
export function readDoors(): Door[] {
  const folder = mkdtempSync(join(tmpdir(), "limbeck-declarations-"));
  try {
    const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
    const words = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", folder];
    execFileSync(process.execPath, [compiler, ...words], { cwd: root });
    const read = createReader(folder);
    return doorsOf(root).map(({ name, file }) => {
      const path = join(folder, file.replace(/^packages\//, "").replace(/\.ts$/, ".d.ts"));
      const [, plate = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(path, "utf8")) ?? [];
      return { name, plate: withoutStars(plate), names: read(path) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Names = Map<string, readonly Declaration[]>;

/** What a file of declarations exports. */
function createReader(folder: string): (path: string) => Names {
  const known = new Map<string, Names>();
  const read = (path: string): Names => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const names: Names = new Map();
    known.set(path, names);
    const text = readFileSync(path, "utf8");
    const file = `packages/${relative(folder, path)
      .split(sep)
      .join("/")
      .replace(/\.d\.ts$/, ".ts")}`;
    const imported = new Map<string, readonly [file: string, name: string]>();
    const own: Names = new Map();
    const placeOf = (source: string): string => {
      const named = namedPath(source);
      if (named === undefined) return join(dirname(path), source.replace(/\.ts$/, ".d.ts"));
      return join(
        folder,
        fileOf(named)
          .replace(/^packages\//, "")
          .replace(/\.ts$/, ".d.ts"),
      );
    };
    const { program, comments } = parseSync(path, text);
    const commentAt = (start: number): string => {
      const before = comments.findLast(({ type, end }) => type === "Block" && end <= start);
      const near = before !== undefined && text.slice(before.end, start).trim() === "" && before.value.startsWith("*");
      return near ? withoutStars(before.value.slice(1)) : "";
    };
    const add = (to: Names, one: Declaration): void => void to.set(one.name, [...(to.get(one.name) ?? []), one]);
    for (const node of program.body) {
      if (node.type === "ImportDeclaration") {
        for (const one of node.specifiers) {
          if (one.type !== "ImportSpecifier") continue;
          imported.set(one.local.name, [placeOf(node.source.value), wordOf(one.imported)]);
        }
      } else if (node.type === "ExportNamedDeclaration") {
        if (node.declaration !== null) {
          for (const one of declarationsOf(node.declaration, text)) {
            const whole = { ...one, file, comment: commentAt(node.start) };
            add(own, whole);
            add(names, whole);
          }
        }
        for (const { local, exported } of node.specifiers) {
          const [from, name] =
            node.source === null
              ? (imported.get(wordOf(local)) ?? [path, wordOf(local)])
              : [placeOf(node.source.value), wordOf(local)];
          const declared = (from === path ? own : read(from)).get(name);
          if (declared !== undefined) names.set(wordOf(exported), declared);
        }
      } else {
        for (const one of declarationsOf(node, text)) add(own, { ...one, file, comment: commentAt(node.start) });
      }
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

function declarationsOf(node: Node, text: string): Omit<Declaration, "file" | "comment">[] {
  const { id, declarations } = node as Declared;
  if (declarations !== undefined) {
    return declarations.flatMap(({ id: { name, ...rest }, start, end }) => {
      if (name === undefined) return [];
      const line = `const ${text.slice(start, end)}`;
      const type = rest.typeAnnotation?.typeAnnotation;
      const long = oneLine(line).length > LONGEST && type !== undefined;
      return [{ name, kind: "const" as const, text: long ? `const ${name}: ${keysOf(type, text)}` : line }];
    });
  }
  if (id?.name === undefined) return [];
  const written = text.slice(node.start, node.end).replace(/^declare /, "");
  const kind = (["function", "class", "interface"] as const).find((word) =>
    new RegExp(`^(?:abstract )?${word}\\b`).test(written),
  );
  return [{ name: id.name, kind: kind ?? "type", text: written }];
}

function keysOf(type: Node & { readonly members?: readonly Node[] }, text: string): string {
  if (type.members === undefined) return `${oneLine(text.slice(type.start, type.end)).slice(0, LONGEST)}…`;
  const keys = type.members.map((member) => {
    const { key } = member as Node & { readonly key?: Node };
    return key === undefined ? "…" : text.slice(key.start, key.end);
  });
  return `{ ${keys.join(", ")} }`;
}

/** Without comments and line breaks. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function withoutStars(comment: string): string {
  return comment.replaceAll(/^[ \t]*\* ?/gm, "").trim();
}

function wordOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}
