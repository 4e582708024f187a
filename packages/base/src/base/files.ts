/** Files that others may be reading or writing: whole or not there, and what is not there is no failure. */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { EngineError, errorCode } from "./errors.ts";
import { plainPieces, plainText } from "./plain-file.ts";

/** Nothing of that name, or a file where a folder was to be. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

/** Whether something of that name can be seen; what cannot be looked at counts as not there. */
export async function isThere(path: string): Promise<boolean> {
  return (await statIfThere(path)) !== undefined;
}

/** Refuses what is there already, by the name it was given; `instead` is what else may be given. */
export async function requireNew(path: string, named: string, instead: string): Promise<void> {
  if (!(await isThere(path))) return;
  throw new EngineError("target-exists", `"${named}" is there already. Give ${instead}.`, { details: { out: named } });
}

/** The needed part of Node's own type, which not every compiler has at hand. */
interface Looked {
  readonly size: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** Undefined where nothing can be seen; opening it says why. */
export async function statIfThere(path: string): Promise<Looked | undefined> {
  return await stat(path).catch(() => undefined);
}

/** Undefined where there is none. */
export async function textIfThere(path: string): Promise<string | undefined> {
  return await plainText(path).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return undefined;
  });
}

/** Undefined where there is nothing of that name; a file of that name is a failure. */
export async function namesIfThere(folder: string): Promise<string[] | undefined> {
  return await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
    return undefined;
  });
}

/**
 * Where a path with "/" lies below a folder. Names of such paths come from listings, commits and archives of others: one that
 * leads out of the folder, or is written in a way that two names could mean one file, is refused.
 */
export function pathInside(root: string, path: string): string {
  const names = path === "" ? [] : path.split("/");
  const full = join(root, ...names);
  const back = relative(root, full);
  const isOutside = isAbsolute(back) || back === ".." || /^\.\.[/\\]/.test(back) || (back === "" && names.length > 0);
  if (isOutside || names.some((name) => name === "" || name === "." || name === ".." || name.includes("\0"))) {
    throw new EngineError(
      "path-outside",
      `${JSON.stringify(path)} is no name of a file below ${root}: names between "/" are neither empty nor "." nor "..". Nothing was written. Rename or remove it where it comes from.`,
      { details: { path } },
    );
  }
  return full;
}

/** A unique name. It begins with a dot, so that readers of the folder pass it over. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}-${process.pid}-${randomBytes(5).toString("hex")}`);
}

/**
 * A reader sees the old file or the new one, also after a kill. `content` may be a function that writes to the path it
 * is given. A caller that cleans up after kills gives a `temporary` of its own.
 *
 * @example
 * import { mkdtemp, readFile, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "example-"));
 * await replaceFile(join(folder, "state.json"), '{"step":1}');
 * console.log(await readFile(join(folder, "state.json"), "utf8")); // {"step":1}
 * await rm(folder, { recursive: true });
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | ((path: string) => Promise<void>),
  temporary: string = temporaryBeside(path),
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    if (typeof content === "function") await content(temporary);
    else await writeFile(temporary, content, { flush: true });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Makes renames last through a power cut. Some systems cannot do this for folders; there they last a little later. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its file systems journal the entry themselves.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    if (!["EISDIR", "EPERM", "EINVAL"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await handle.close();
  }
}

/** SHA-256 of a file's content, in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of await plainPieces(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
