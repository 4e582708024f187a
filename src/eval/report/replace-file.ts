/** Files that others may be reading. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EngineError } from "../../base/index.ts";

/** Whole or not at all: a reader may have the old one open. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(unfinished, content);
    await rename(unfinished, file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("file-error", `The report cannot be written to "${file}": ${why}. Give another file.`, {
      cause,
    });
  } finally {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}
