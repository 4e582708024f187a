/** What an import reads: files that were named, or the folder where a program keeps its sessions, after asking. */
import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { EngineError, lookUp, sum } from "../../base/index.ts";
import type { Importer } from "../../record/importers/importer.ts";
import type { Redactor } from "../../record/recorder/redact.ts";
import type { Format } from "../../store/formats/format.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import type { Source } from "./read-into.ts";

/** Null where the person said no. Every file is looked at before the first is read: a typing error must not cost an hour. */
export async function findSources(invocation: Invocation): Promise<Source[] | null> {
  const redactor = await givenRedactor(invocation);
  const { importers } = await import("../../record/importers/registry.ts");
  const from = invocation.text("from");
  if (from !== undefined && invocation.text("format") !== undefined)
    throw usageError("--from and --format both name a format; give one.");
  if (from !== undefined) {
    const importer = lookUp<Importer>(importers, from, "program");
    if (invocation.positionals.length === 0) return await usualSources(invocation, importer, redactor);
    return (
      await Promise.all(
        invocation.positionals.map((file) => importerSources(importer, given(invocation, file), redactor)),
      )
    ).flat();
  }
  if (invocation.positionals.length === 0)
    throw usageError("Name a file or a folder, or a program: limbeck import --from claude-code.");
  const sources: Source[] = [];
  for (const file of invocation.positionals) sources.push(...(await namedSources(invocation, file, redactor)));
  return sources;
}

const given = (invocation: Invocation, file: string): string => resolve(invocation.io.cwd, file);

/** `--redact` and `--keep-emails`. */
export async function givenRedactor(invocation: Invocation): Promise<Redactor> {
  const { createRedactor } = await import("../../record/recorder/redact.ts");
  try {
    return createRedactor({ patterns: invocation.texts("redact"), emails: !invocation.flag("keep-emails") });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EngineError("bad-option", `--redact: ${error.message}. Nothing was imported.`, { cause: error });
  }
}

/** A file in an interchange format, or files of a program. */
async function namedSources(invocation: Invocation, file: string, redactor: Redactor): Promise<Source[]> {
  const { formats, detectFormat } = await import("../../store/formats/index.ts");
  const { importers } = await import("../../record/importers/registry.ts");
  const { detectImporter } = await import("../../record/importers/detect.ts");
  const path = given(invocation, file);
  const bytes = await sizeOf(path).catch((error: unknown) => {
    throw new EngineError("bad-input", `Cannot read "${file}".`, { details: { file }, cause: error });
  });
  const named = invocation.text("format");
  if (named !== undefined) {
    const known = lookUp<Format | Importer>({ ...formats, ...importers }, named, "format");
    return "open" in known ? await importerSources(known, path, redactor) : [{ path, bytes, format: known }];
  }
  const importer = await detectImporter(path);
  if (importer !== undefined) return await importerSources(importer, path, redactor);
  return [
    {
      path,
      bytes,
      format: await detectFormat(path).catch((error: unknown) =>
        Promise.reject(withNames(error, Object.keys(importers))),
      ),
    },
  ];
}

/** The error lists what can be named; the programs are part of it. */
function withNames(error: unknown, names: readonly string[]): unknown {
  if (!(error instanceof EngineError) || error.code !== "format-unknown") return error;
  const { known, ...details } = error.details;
  const all = [...(Array.isArray(known) ? (known as string[]) : []), ...names];
  const message = error.message.replace(/one of [^.]*\.$/, `one of ${all.join(", ")}.`);
  return new EngineError("format-unknown", message, { details: { ...details, known: all } });
}

/** Each file is a source of its own, so that a folder that has grown is read only where it is new. */
async function importerSources(importer: Importer, path: string, redactor: Redactor): Promise<Source[]> {
  const { importedFiles, importerFormat } = await import("../../record/importers/reading.ts");
  const format = importerFormat(importer, redactor);
  if (importer.joinsFiles === true) return [{ path, bytes: await sizeOf(path), format, sessions: true }];
  const sources: Source[] = [];
  for await (const file of importedFiles(importer, path)) {
    sources.push({ path: file, bytes: (await stat(file)).size, format, sessions: true });
  }
  return sources;
}

async function usualSources(invocation: Invocation, importer: Importer, redactor: Redactor): Promise<Source[] | null> {
  const { env } = invocation.io;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const folders = importer.folders?.({ home, env, platform: process.platform }) ?? [];
  if (folders.length === 0) {
    throw usageError(
      `${importer.title} keeps its files in no usual place; name them: limbeck import --from ${importer.id} FILE.`,
    );
  }
  const found: Source[] = [];
  const places: string[] = [];
  for (const folder of folders) {
    const own = await importerSources(importer, folder, redactor).catch((error: unknown) => {
      if (!(error instanceof EngineError) || !["file-missing", "no-files"].includes(error.code)) throw error;
      return [];
    });
    if (own.length > 0) places.push(folder);
    found.push(...own);
  }
  if (found.length === 0) {
    throw new EngineError(
      "no-files",
      `Nothing of ${importer.title} was found in ${folders.map((folder) => JSON.stringify(folder)).join(", ")}. Name another folder: limbeck import --from ${importer.id} FOLDER. Not read: ${importer.leaves}.`,
      { details: { folders } },
    );
  }
  return (await mayRead(invocation, importer, found, places)) ? found : null;
}

async function mayRead(
  invocation: Invocation,
  importer: Importer,
  found: readonly Source[],
  places: readonly string[],
): Promise<boolean> {
  const size = formatBytes(sum(found.map(({ bytes }) => bytes)));
  const where = places.map(cleanLine).join(", ");
  const what = `${plural(found.length, "session file")} of ${importer.title}, ${size}, in ${where}`;
  if (invocation.json)
    invocation.printJson({
      event: "found",
      from: importer.id,
      files: found.length,
      bytes: sum(found.map(({ bytes }) => bytes)),
      folders: places,
    });
  if (invocation.flag("yes")) {
    invocation.note(`Reading ${what}.`);
    return true;
  }
  const answer = await invocation.io.ask(
    `Found ${what}.\nThey stay on this machine; keys and e-mail addresses are taken out before anything is stored.\nRead them? [y/N] `,
  );
  if (answer === undefined) {
    throw new EngineError("needs-yes", `Found ${what}. Nobody can be asked here; --yes reads them.`, {
      details: { files: found.length, folders: [...places] },
    });
  }
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Bytes of a file, or of all files below a folder; what the progress bar counts to. */
async function sizeOf(path: string): Promise<number> {
  const about = await stat(path);
  if (!about.isDirectory()) return about.size;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0,
  );
  return sum(await Promise.all(sizes));
}

/** What the run's file says that it was made from; of many files the first few. */
export function sourceNames(sources: readonly Source[]): { readonly files: string[]; readonly formats: string[] } {
  return {
    files: sources.slice(0, 100).map(({ path }) => basename(path)),
    formats: [...new Set(sources.map(({ format }) => format.id))],
  };
}
