/**
 * Reading files that others may have made: plain files alone, and never more of one than its kind may hold. A FIFO, a device or a socket
 * never ends, and may hold up whatever opens it; here it is opened without waiting and refused by name.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type ReadStream, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { EngineError } from "./errors.ts";

const MIB = 1024 * 1024;

/** The most bytes that are read of a file, by what it is. What is read piece by piece (`plainPieces`) has no such bound. */
export const LARGEST_FILE = {
  /** What describes something else: a run, a model, a package. */
  settings: 64 * MIB,
  /** What is read whole as one text: commits, plans, questions, journals. */
  text: 500 * MIB,
  /** What is read whole as bytes: segments, weights of a head. */
  data: 4096 * MIB,
} as const;

type FileKind = keyof typeof LARGEST_FILE;

// Windows has neither; there nothing waits for the other end of a named pipe.
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** What a shell hands over in place of a file, `<(…)`; the person who typed it means it. */
const HANDED_OVER = /^\/dev\/(?:stdin|fd\/\d{1,9})$/;

interface OpenOptions {
  /** A link is refused: for files from outside, which must not lead to others of this machine. Default: it is followed. */
  readonly noLinks?: boolean;
}

/** Text of a plain file, in UTF-8. Fails like Node's own `readFile` where there is none. */
export async function plainText(path: string, kind: FileKind = "text", options: OpenOptions = {}): Promise<string> {
  return (await plainBytes(path, kind, options)).toString("utf8");
}

export async function plainBytes(path: string, kind: FileKind = "data", options: OpenOptions = {}): Promise<Buffer> {
  const handle = await openPlain(path, options);
  try {
    return await readAtMost(handle, path, LARGEST_FILE[kind]);
  } finally {
    await handle.close();
  }
}

/** A plain file as a stream, which is read as far as it is asked for. */
export async function plainPieces(
  path: string,
  options: { readonly start?: number; readonly highWaterMark?: number; readonly encoding?: "utf8" } = {},
): Promise<ReadStream> {
  return (await openPlain(path)).createReadStream(options);
}

/** For the few places that cannot wait. */
export function plainTextSync(path: string, kind: FileKind = "settings"): string {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    const found = fstatSync(file);
    requirePlain(path, found);
    if (found.size > LARGEST_FILE[kind]) throw tooLarge(path, LARGEST_FILE[kind]);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** The caller closes it. */
export async function openPlain(path: string, { noLinks = false }: OpenOptions = {}): Promise<FileHandle> {
  if (HANDED_OVER.test(path)) return await open(path, "r");
  const handle = await open(path, WITHOUT_WAITING | (noLinks ? NO_LINK : 0)).catch((error: unknown) => {
    // A socket cannot be opened; a link that may not be followed neither.
    const code = (error as NodeJS.ErrnoException).code;
    throw code === "ENXIO" ? notPlain(path, "a socket") : code === "ELOOP" ? notPlain(path, "a link") : error;
  });
  try {
    requirePlain(path, await handle.stat());
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reading a folder fails by itself, with a code that callers know. */
export function requirePlain(path: string, found: Omit<Stats, "size">): void {
  if (found.isFile() || found.isDirectory()) return;
  throw notPlain(path, found.isFIFO() ? "a FIFO" : found.isSocket() ? "a socket" : "a device");
}

function notPlain(path: string, kind: string): EngineError {
  const message = `${JSON.stringify(path)} is ${kind}, and only plain files are read. Remove it, or put a file in its place.`;
  return new EngineError("not-a-file", message, { details: { path } });
}

function tooLarge(path: string, most: number): EngineError {
  const message = `${JSON.stringify(path)} has more than ${most / MIB} MiB, the most that is read of such a file. Give a smaller one.`;
  return new EngineError("file-too-large", message, { details: { path, most } });
}

/** A file may grow while it is read, and files of the kernel say that they are empty and are not: the bytes themselves are counted. */
async function readAtMost(handle: FileHandle, path: string, most: number): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size > most) throw tooLarge(path, most);
  let bytes = Buffer.allocUnsafe(size + 1);
  for (let filled = 0; ;) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
    if (filled > most) throw tooLarge(path, most);
    if (filled === bytes.length) bytes = Buffer.concat([bytes, Buffer.allocUnsafe(Math.max(filled, 64 * 1024))]);
  }
}
