/** Bytes of a file at a place, all of them or an error. */
import type { FileHandle } from "node:fs/promises";

/** One call of the system reads no more than about 2 GiB. */
const MOST_AT_ONCE = 2 ** 30;

export async function readExactly(
  file: FileHandle,
  target: Uint8Array,
  position: number,
  fail: (why: string) => Error,
): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await file.read(target, done, Math.min(target.length - done, MOST_AT_ONCE), position + done);
    if (bytesRead === 0) throw fail(`it ended at byte ${position + done} while it was being read`);
    done += bytesRead;
  }
}

const CHUNK_BYTES = 2 ** 20;

/** Numbers of a file at a place: as they stand there, or decoded by units of so many bytes and values. */
export async function readNumbers(
  file: FileHandle,
  start: number,
  target: Float32Array,
  fail: (why: string) => Error,
  unit?: {
    readonly values: number;
    readonly bytes: number;
    readonly decode: (bytes: Uint8Array, into: Float32Array) => void;
  },
): Promise<void> {
  if (unit === undefined) {
    await readExactly(file, new Uint8Array(target.buffer, target.byteOffset, target.byteLength), start, fail);
    return;
  }
  const units = Math.floor(CHUNK_BYTES / unit.bytes);
  const chunk = new Uint8Array(Math.min(units, target.length / unit.values) * unit.bytes);
  for (let at = 0; at < target.length; at += units * unit.values) {
    const part = target.subarray(at, at + units * unit.values);
    const room = chunk.subarray(0, (part.length / unit.values) * unit.bytes);
    await readExactly(file, room, start + (at / unit.values) * unit.bytes, fail);
    unit.decode(room, part);
  }
}
