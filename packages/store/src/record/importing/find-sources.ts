/** What an import reads: files that were named, or the folder where a program keeps its sessions, after asking. */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { askFirst } from "limbeck-base/base/ask-first";
import { usageError, EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { sum } from "limbeck-base/base/statistics/summary";
import { formatBytes, plural } from "limbeck-base/base/units";
import { detectSource, filesBelow, sessionFiles } from "../../store/formats/detect.ts";
import { keepsSessions, type SessionSource, type Source } from "../../store/formats/source.ts";
import type { ImportContext, ImportInput } from "../import.inputs.ts";
import { importers, sources } from "../importers/registry.ts";
import { createRedactor, type Redactor } from "limbeck-recorder/redact";

/** A file or a folder, and what reads it. */
export interface FoundSource {
  readonly path: string;
  readonly bytes: number;
  readonly source: Source;
}

/** Null where the person refused. Every file is looked at before the first is read: a typing error must not cost an hour. */
export async function findSources(input: ImportInput, context: ImportContext): Promise<readonly FoundSource[] | null> {
  const { files, from, format } = input;
  const program = from === undefined ? undefined : lookUp<SessionSource>(importers, from, "program");
  if (files.length === 0) {
    if (program !== undefined) return await usualSources(program, input, context);
    throw usageError("Name a file or a folder, or a program: limbeck import --from claude-code.");
  }
  const found: FoundSource[] = [];
  for (const file of files) {
    const path = resolve(context.cwd, file);
    if (program !== undefined) {
      found.push(...(await sessionsIn(program, path)));
      continue;
    }
    const bytes = await sizeOf(path).catch(({ cause }: Error) => {
      throw new EngineError("bad-input", `Cannot read "${file}".`, { details: { file }, cause });
    });
    const source =
      format === undefined
        ? await detectSource(path, Object.values(sources))
        : lookUp<Source>(sources, format, "format");
    found.push(...(keepsSessions(source) ? await sessionsIn(source, path) : [{ path, bytes, source }]));
  }
  return found;
}

/** `--redact` and `--keep-emails`. */
export function givenRedactor({ redact, keepEmails }: Pick<ImportInput, "redact" | "keepEmails">): Redactor {
  try {
    return createRedactor({ patterns: redact, emails: !keepEmails });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EngineError("bad-option", `--redact: ${error.message}. Nothing was imported.`, { cause: error });
  }
}

/** Each file is found by itself, so that a folder that has grown is read only where it is new. */
async function sessionsIn(source: SessionSource, path: string): Promise<FoundSource[]> {
  if (source.joinsFiles === true) return [{ path, bytes: await sizeOf(path), source }];
  const found: FoundSource[] = [];
  for await (const file of sessionFiles(source, path))
    found.push({ path: file, bytes: (await stat(file)).size, source });
  return found;
}

async function usualSources(
  source: SessionSource,
  { yes }: ImportInput,
  context: ImportContext,
): Promise<readonly FoundSource[] | null> {
  const { id: from, title } = source;
  const { environment: env } = context;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const usual = source.folders?.({ home, env, platform: process.platform }) ?? [];
  if (usual.length === 0)
    throw usageError(`${title} keeps its files in no usual place; name them: limbeck import --from ${from} FILE.`);
  const found: FoundSource[] = [];
  const folders: string[] = [];
  for (const folder of usual) {
    const own = await sessionsIn(source, folder).catch((error: unknown) => {
      if (!(error instanceof EngineError) || !["file-missing", "no-files"].includes(error.code)) throw error;
      return [];
    });
    if (own.length > 0) folders.push(folder);
    found.push(...own);
  }
  if (found.length === 0) {
    const looked = usual.map((folder) => JSON.stringify(folder)).join(", ");
    throw new EngineError(
      "no-files",
      `Nothing of ${title} was found in ${looked}. Name another folder: limbeck import --from ${from} FOLDER. Not read: ${source.leaves}.`,
      { details: { folders: usual } },
    );
  }
  const files = found.length;
  const bytes = sum(found.map((one) => one.bytes));
  context.emit({ event: "found", from, files, bytes, folders });
  const what = `${plural(files, "session file")} of ${title}, ${formatBytes(bytes)}, in ${folders.join(", ")}`;
  if (yes) {
    context.note(`Reading ${what}.`);
    return found;
  }
  const question = `Found ${what}.\nThey stay on this machine; keys and e-mail addresses are taken out before anything is stored.\nRead them? [y/N] `;
  const unasked = `Found ${what}. Nobody can be asked here; --yes reads them.`;
  return (await askFirst(context, question, unasked, { files, folders })) ? found : null;
}

/** Bytes of a file, or of all files below a folder; what the progress bar counts to. */
async function sizeOf(path: string): Promise<number> {
  let bytes = 0;
  for await (const file of filesBelow(path)) bytes += (await stat(file)).size;
  return bytes;
}
