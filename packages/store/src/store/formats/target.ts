/**
 * Writing an export so that a failure leaves nothing behind: into a temporary name beside the target, put in its place
 * when it is whole and on disk.
 */
import { link, mkdir, open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createGzip, type Gzip } from "node:zlib";
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { statIfThere, temporaryBeside } from "limbeck-base/base/files";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { quote } from "./bytes.ts";
import type { WriteOptions } from "./source.ts";

/** Bytes gathered before a write: large enough that the disk, not the call, is the cost. */
const BUFFER_BYTES = 1 << 18;

/** Writes text to one file; packed where the name ends in ".gz". Returns its size in bytes. */
export async function writeFileSafely(
  path: string,
  chunks: AsyncIterable<string>,
  options: WriteOptions,
): Promise<number> {
  const target = resolve(path);
  if (options.overwrite !== true && (await kindOf(target)) !== undefined) throw exists(path);
  const temporary = temporaryBeside(target);
  try {
    const bytes = await writeText(temporary, target.endsWith(".gz"), chunks, options.signal);
    if (options.overwrite === true) await rename(temporary, target);
    else await moveNew(temporary, target, path);
    return bytes;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Writes one JSON object a line, one line a trajectory. */
export async function writeJsonLines(
  path: string,
  trajectories: AsyncIterable<Trajectory>,
  lineOf: (trajectory: Trajectory) => object,
  options: WriteOptions,
): Promise<{ readonly trajectories: number; readonly bytes: number }> {
  let count = 0;
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for await (const trajectory of trajectories) {
      yield `${JSON.stringify(lineOf(trajectory))}\n`;
      count += 1;
      options.onProgress?.(count);
    }
  }
  const bytes = await writeFileSafely(path, lines(), options);
  return { trajectories: count, bytes };
}

/** Writes a folder of files. An existing folder is replaced only when it is empty, or on `overwrite` when it holds only JSON files. */
export async function writeFolderSafely(
  path: string,
  files: AsyncIterable<{ readonly name: string; readonly text: string }>,
  options: WriteOptions,
): Promise<number> {
  const target = resolve(path);
  await checkFolder(target, path, options.overwrite === true);
  const temporary = temporaryBeside(target);
  const old = temporaryBeside(target);
  try {
    await mkdir(temporary).catch((error: unknown) => {
      throw writeError(path, error);
    });
    let bytes = 0;
    for await (const { name, text } of files) {
      bytes += await writeText(join(temporary, name), false, once(text), options.signal);
    }
    if ((await kindOf(target)) !== undefined) await rename(target, old);
    await rename(temporary, target);
    return bytes;
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** Whether the target means a folder: it ends in a slash, or is one already. */
export async function isFolderTarget(path: string): Promise<boolean> {
  return /[\\/]$/.test(path) || (await kindOf(path)) === "folder";
}

async function writeText(
  path: string,
  packed: boolean,
  chunks: AsyncIterable<string>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const handle = await open(path, "wx").catch((error: unknown) => {
    throw writeError(path, error);
  });
  try {
    const gzip = packed ? createGzip() : undefined;
    const written = gzip === undefined ? undefined : drain(gzip, handle);
    // The first failure is thrown below; this only keeps a failure of the disk from going unheard meanwhile.
    written?.catch(() => gzip?.destroy());
    let waiting: Buffer[] = [];
    let length = 0;
    const flush = async (): Promise<void> => {
      const bytes = Buffer.concat(waiting);
      waiting = [];
      length = 0;
      if (bytes.length === 0) return;
      if (gzip === undefined) await handle.writeFile(bytes);
      else await push(gzip, bytes);
    };
    for await (const chunk of chunks) {
      throwIfAborted(signal);
      const bytes = Buffer.from(chunk);
      waiting.push(bytes);
      length += bytes.length;
      if (length >= BUFFER_BYTES) await flush();
    }
    throwIfAborted(signal);
    await flush();
    gzip?.end();
    await written;
    await handle.sync();
    return (await handle.stat()).size;
  } catch (error) {
    // The source of the trajectories may fail with a system error of its own; only the disk's are ours to explain.
    throw errorCode(error) === "ENOENT" ? error : writeError(path, error);
  } finally {
    await handle.close();
  }
}

async function drain(gzip: Gzip, handle: FileHandle): Promise<void> {
  for await (const bytes of gzip as AsyncIterable<Buffer>) await handle.writeFile(bytes);
}

function push(gzip: Gzip, bytes: Buffer): Promise<void> {
  return new Promise((done, fail) => {
    gzip.write(bytes, (error) => (error === null || error === undefined ? done() : fail(error)));
  });
}

/** A hard link fails where the name is taken, so two exports cannot silently replace each other. */
async function moveNew(temporary: string, target: string, path: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw exists(path);
    // Some file systems have no hard links; the check at the beginning must do there.
    await rename(temporary, target);
  }
}

async function checkFolder(target: string, path: string, overwrite: boolean): Promise<void> {
  const kind = await kindOf(target);
  if (kind === undefined) return;
  if (kind === "file") throw exists(path);
  const entries = await readdir(target, { withFileTypes: true });
  if (entries.length === 0) return;
  if (!overwrite) throw exists(path);
  const foreign = entries.find((entry) => !entry.isFile() || !entry.name.endsWith(".json"));
  if (foreign === undefined) return;
  throw new EngineError(
    "target-exists",
    `Folder ${quote(path)} holds ${quote(foreign.name)}, which is no trajectory file; it is not replaced. Choose another folder.`,
    { details: { file: path } },
  );
}

async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  const about = await statIfThere(path);
  if (about === undefined) return undefined;
  return about.isDirectory() ? "folder" : "file";
}

function exists(path: string): EngineError {
  return new EngineError("target-exists", `${quote(path)} exists already. Choose another name, or allow overwriting.`, {
    details: { file: path },
  });
}

const WRITE_FAULTS: Readonly<Record<string, readonly [EngineErrorCode, string]>> = {
  ENOENT: ["folder-missing", "does not exist. Create it first."],
  ENOSPC: ["disk-full", "is on a full disk; nothing was written. Free some space."],
  EACCES: ["not-writable", "may not be written to. Choose another folder."],
  EPERM: ["not-writable", "may not be written to. Choose another folder."],
  EROFS: ["not-writable", "may not be written to. Choose another folder."],
};

function writeError(path: string, error: unknown): unknown {
  const fault = WRITE_FAULTS[errorCode(error) ?? ""];
  // An engine error comes from the source of the trajectories and has its own message.
  if (fault === undefined || error instanceof EngineError) return error;
  return new EngineError(fault[0], `Folder ${quote(dirname(path))} ${fault[1]}`, {
    details: { file: path },
    cause: error,
  });
}

async function* once(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}
