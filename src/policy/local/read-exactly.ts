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
