/**
 * A file of a folder that is replaced only by whoever has seen its last version. File systems have no such operation: who
 * may replace a version is who first gives a name that is made of it.
 */
import { createHash } from "node:crypto";
import { link, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../base/errors.ts";
import { isMissing } from "../base/files.ts";
import { fateOf, thisProcess, type ProcessIdentity } from "../base/process-identity.ts";
import { TEMPORARY_PREFIX, type Looked } from "./files.ts";

/** Who takes longer to replace a file, on a machine that cannot be asked, is passed over. */
const PATIENCE_MS = 60_000;

/** `scratch`: a name of one's own beside it, whose time is that of the file system's own clock. */
export async function lookAt(path: string, scratch: string): Promise<Looked | undefined> {
  try {
    const [text, { mtimeMs }] = [await readFile(path, "utf8"), await stat(path)];
    return { text, version: versionOf(text), ageMs: (await clockOf(scratch)) - mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function exchangeFile(
  path: string,
  bytes: Uint8Array,
  version: string,
  scratch: () => string,
): Promise<string | undefined> {
  const right = join(dirname(path), `${TEMPORARY_PREFIX}exchange-${version}`);
  const [own, mark] = [scratch(), scratch()];
  try {
    await writeFile(mark, JSON.stringify(thisProcess()));
    if (!(await isFirst(mark, right))) {
      await passOver(right, scratch());
      return undefined;
    }
    try {
      if ((await lookAt(path, scratch()))?.version !== version) return undefined;
      await writeFile(own, bytes, { flush: true });
      await rename(own, path);
      return versionOf(bytes);
    } finally {
      await rm(right, { force: true });
    }
  } catch (error) {
    // The folder itself is gone.
    if (isMissing(error)) return undefined;
    throw error;
  } finally {
    await rm(mark, { force: true });
    await rm(own, { force: true });
  }
}

async function isFirst(mark: string, right: string): Promise<boolean> {
  try {
    await link(mark, right);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (isMissing(error)) throw error;
  }
  // A file system without links: exclusive too.
  try {
    await (await open(right, "wx")).close();
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes the mark of a process that died over it. */
async function passOver(right: string, scratch: string): Promise<void> {
  const found = await lookAt(right, scratch);
  if (found === undefined) return;
  const fate = found.text === "" ? "elsewhere" : fateOf(JSON.parse(found.text) as ProcessIdentity);
  if (fate === "gone" || (fate === "elsewhere" && found.ageMs > PATIENCE_MS)) await rm(right, { force: true });
}

function versionOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 24);
}

async function clockOf(scratch: string): Promise<number> {
  try {
    await writeFile(scratch, "");
    return (await stat(scratch)).mtimeMs;
  } catch {
    // A folder that cannot be written to: this machine's clock has to do.
    return Date.now();
  } finally {
    await rm(scratch, { force: true });
  }
}
