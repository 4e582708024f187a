/** Bytes of a file as a stream: unpacked where the name ends in ".gz", counted, cancellable, with errors that name the file. */
import { type ReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { plainPieces } from "limbeck-base/base/plain-file";
import type { ReadOptions } from "./source.ts";

const CHUNK_BYTES = 1 << 18;

export async function* readBytes(
  path: string,
  options: Pick<ReadOptions, "onProgress" | "signal"> = {},
): AsyncGenerator<Buffer, void, undefined> {
  throwIfAborted(options.signal);
  const file = await plainPieces(path, { highWaterMark: CHUNK_BYTES }).catch((error: unknown) => {
    throw readError(path, error);
  });
  const stream: ReadStream | ReturnType<typeof createGunzip> = path.endsWith(".gz")
    ? pipeline(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined)
    : file;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      throwIfAborted(options.signal);
      // Packed bytes: what a progress bar compares with the size of the file.
      options.onProgress?.(file.bytesRead);
      yield chunk;
    }
  } catch (error) {
    throw readError(path, error);
  } finally {
    stream.destroy();
    file.destroy();
  }
}

/** A path as it stands in a message: quoted, with control characters escaped. */
export function quote(path: string): string {
  return JSON.stringify(path);
}

/** What the system or the unpacker may say: our code, and the rest of the sentence after the path. */
const READ_FAULTS: Readonly<Record<string, readonly [EngineErrorCode, string]>> = {
  ENOENT: ["file-missing", "does not exist. Check the path."],
  EISDIR: ["not-a-file", "is a folder; name one file in it."],
  EACCES: ["file-unreadable", "may not be read. Check its permissions."],
  EPERM: ["file-unreadable", "may not be read. Check its permissions."],
  Z_BUF_ERROR: ["truncated-file", "ends in the middle of its gzip data; copy it again."],
  Z_DATA_ERROR: ["bad-gzip", 'is not valid gzip; unpack it, or drop the ending ".gz".'],
};

/** The error with the file's name and the way out; what is not in the table is passed on. */
export function readError(path: string, error: unknown): unknown {
  const fault = READ_FAULTS[errorCode(error) ?? ""];
  if (fault === undefined) return error;
  return new EngineError(fault[0], `${quote(path)} ${fault[1]}`, { details: { file: path }, cause: error });
}
