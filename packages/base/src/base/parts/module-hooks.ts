/**
 * How Node finds and reads a user's file: types are taken out of TypeScript, in place, so that lines stay where they are;
 * and `limbeck` is the package that runs, so that both have one and the same copy of it.
 */
import type * as Swc from "@swc/wasm-typescript";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isOwnFile, OWN_MANIFEST } from "../own-place.ts";

interface Context {
  readonly parentURL?: string | undefined;
}

/** The package that has the doors. */
const home = pathToFileURL(join(dirname(OWN_MANIFEST), sep)).href;
const isSource = import.meta.url.endsWith(".ts");
const require = createRequire(import.meta.url);

export function resolve<Answer>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Answer,
): Answer | { readonly url: string; readonly format: "module"; readonly shortCircuit: true } {
  const { parentURL = "" } = context;
  if (isOwnFile(parentURL) || parentURL.includes("/node_modules/")) return next(specifier, context);
  const door = specifier === "limbeck" || specifier.startsWith("limbeck/") ? doorOf(specifier) : undefined;
  if (door !== undefined) return next(door, context);
  const url = typeScriptOf(specifier, parentURL);
  return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true };
}

export function load<Answer>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Answer,
): Answer | { readonly format: "module"; readonly source: string; readonly shortCircuit: true } {
  const path = /^file:.*\.m?ts$/.test(url) && !isOwnFile(url) && !url.includes("/node_modules/");
  if (!path) return next(url, context);
  const file = fileURLToPath(url);
  return { format: "module", source: withoutTypes(readFileSync(file, "utf8"), file), shortCircuit: true };
}

/** The address of a door of the package that runs, from its own table of doors. */
export function doorOf(specifier: string): string | undefined {
  const { exports } = JSON.parse(readFileSync(new URL("package.json", home), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const door = exports[`.${specifier.slice("limbeck".length)}`];
  const file = typeof door === "string" ? door : door?.default;
  if (file === undefined) return undefined;
  // In a clone the doors are sources, and what runs may be built from them.
  return new URL(isSource ? file : file.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1.js"), home).href;
}

/** A TypeScript file beside it. Many write "./words.js" and mean that one. */
function typeScriptOf(specifier: string, parentURL: string): string | undefined {
  if (!/^\.{1,2}\/.*\.m?[jt]s$/.test(specifier) || !parentURL.startsWith("file:")) return undefined;
  const typed = new URL(specifier.replace(/js$/, "ts"), parentURL);
  const isMeant = specifier.endsWith("ts") || !existsSync(new URL(specifier, parentURL));
  if (!isMeant || !existsSync(typed)) return undefined;
  // A file in a clone may import its sources: what runs was built from them.
  if (isSource || !isOwnFile(typed.href)) return typed.href;
  return typed.href.replace(/\/src\/(.*)ts$/, "/dist/$1js");
}

function withoutTypes(text: string, file: string): string {
  const { transformSync } = require("@swc/wasm-typescript") as typeof Swc;
  try {
    return transformSync(text, { mode: "strip-only", module: true, filename: file }).code;
  } catch (fault) {
    const { message = String(fault), startLine } = fault as { readonly message?: string; readonly startLine?: number };
    const error = new SyntaxError(message, { cause: new Error(message) });
    error.stack = `SyntaxError: ${message}\n    at ${file}:${startLine ?? 1}`;
    throw error;
  }
}
