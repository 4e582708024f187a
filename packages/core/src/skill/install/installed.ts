/**
 * What was installed, so that it can be taken back exactly: `installed.json` in the library names every file, what was written
 * into it and which folders were made for it. A file that was changed since is never touched.
 */
import { mkdir, realpath, rm, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import { replaceFile, isThere, textIfThere } from "limbeck-base/base/files";
import type { Library } from "../library/library.ts";

const WrittenSchema = z.object({
  /** Absolute. */
  path: z.string(),
  skills: z.array(z.string()),
  agents: z.array(z.string()),
  user: z.boolean(),
  at: z.string(),
  /** A file of ours, or a section in another file. */
  kind: z.enum(["file", "section"]),
  /** What was written, to the letter. */
  text: z.string(),
  /** Whether the file was made for it. */
  made: z.boolean(),
  /** Folders that were made for it, the innermost first. */
  folders: z.array(z.string()),
});
const ListSchema = z.object({ format: z.literal(1), files: z.array(WrittenSchema) });

export type InstalledFile = z.infer<typeof WrittenSchema>;

const listPath = ({ root }: Pick<Library, "root">): string => join(root, "installed.json");

export async function readInstalled(library: Pick<Library, "root">): Promise<InstalledFile[]> {
  const path = listPath(library);
  const text = await textIfThere(path);
  if (text === undefined) return [];
  const parsed = ListSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.files;
  throw new EngineError(
    "bad-json-file",
    `"${path}" is no list of installed skills: ${z.prettifyError(parsed.error)}. Put it back, or delete it and take the files out by hand.`,
  );
}

async function writeInstalled(library: Pick<Library, "root">, files: readonly InstalledFile[]): Promise<void> {
  if (files.length === 0) await rm(listPath(library), { force: true });
  else await replaceFile(listPath(library), `${JSON.stringify({ format: 1, files }, null, 2)}\n`);
}

/** A file as it is and as it will be; undefined where it is not there. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What the list says of it afterwards; undefined: nothing any more. */
  readonly written: InstalledFile | undefined;
}

/** Writes, and keeps the list after every file, so that a stop in between can be taken back too. */
export async function applyChanges(library: Pick<Library, "root">, changes: readonly FileChange[]): Promise<void> {
  let list = await readInstalled(library);
  for (const { path, before, after, written } of changes) {
    const known = list.find((one) => one.path === path);
    if ((await textIfThere(path)) !== before) throw changedMeanwhile(path);
    const folders = after === undefined ? [] : await missingFolders(dirname(path));
    const kept = written === undefined ? undefined : { ...written, folders: known?.folders ?? folders };
    list = [...list.filter((one) => one.path !== path), ...(kept === undefined ? [] : [kept])];
    // The list first where something is written, last where it is taken back: what is there is always on it.
    if (after !== undefined && kept !== undefined) await writeInstalled(library, list);
    if (after === undefined) await rm(path, { force: true });
    else if (after !== before) {
      await mkdir(dirname(path), { recursive: true });
      // A link to another file stays a link.
      await replaceFile(await realpath(path).catch(() => path), after);
    }
    if (after === undefined) list = await withoutFolders(list, known?.folders ?? []);
    if (kept === undefined) await writeInstalled(library, list);
  }
}

/** A folder that others of the list still need becomes theirs to take away. */
async function withoutFolders(list: readonly InstalledFile[], folders: readonly string[]): Promise<InstalledFile[]> {
  let left = [...list];
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
    const heir = left.find(({ path }) => path.startsWith(`${folder}${sep}`));
    // A folder that holds other things stays.
    if (heir === undefined) await rmdir(folder).catch(() => undefined);
    else left = left.map((one) => (one === heir ? { ...one, folders: [...one.folders, folder] } : one));
  }
  return left;
}

/** The innermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  if (await isThere(folder)) return [];
  const up = dirname(folder);
  return up === folder ? [folder] : [folder, ...(await missingFolders(up))];
}

function changedMeanwhile(path: string): EngineError {
  return new EngineError(
    "target-exists",
    `"${path}" was changed while it was looked at; nothing was written to it. Try again.`,
  );
}
