/** Bytes of a file as a stream: unpacked where the name ends in ".gz", counted, cancellable, with errors that name the file. */
import { createReadStream, type ReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { EngineError, errorCode, throwIfAborted } from "../../base/index.ts";
import type { ReadOptions } from "./format.ts";

const CHUNK_BYTES = 1 << 18;

export async function* readBytes(
  path: string,
  options: Pick<ReadOptions, "onProgress" | "signal"> = {},
): AsyncGenerator<Buffer, void, undefined> {
  throwIfAborted(options.signal);
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
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

/** What the system or the unpacker said, as an error that names the file and the way out. */
export function readError(path: string, error: unknown): unknown {
  const details = { file: path };
  switch (errorCode(error)) {
    case "ENOENT":
      return new EngineError("file-missing", `There is no file ${quote(path)}. Check the path.`, {
        details,
        cause: error,
      });
    case "EISDIR":
      return new EngineError("not-a-file", `${quote(path)} is a folder; name one file in it.`, {
        details,
        cause: error,
      });
    case "EACCES":
    case "EPERM":
      return new EngineError("file-unreadable", `${quote(path)} may not be read. Check its permissions.`, {
        details,
        cause: error,
      });
    case "Z_BUF_ERROR":
      return new EngineError("truncated-file", `${quote(path)} ends in the middle of its gzip data; copy it again.`, {
        details,
        cause: error,
      });
    case "Z_DATA_ERROR":
      return new EngineError("bad-gzip", `${quote(path)} is not valid gzip; unpack it, or drop the ending ".gz".`, {
        details,
        cause: error,
      });
    default:
      return error;
  }
}
