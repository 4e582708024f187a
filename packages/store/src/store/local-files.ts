/** File operations of a local or mounted file system. What is reported as written survives a crash of the machine. */
import { createHash, randomBytes } from "node:crypto";
import { appendFile, link, mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { isMissing, namesIfThere, pathInside, syncFolder } from "limbeck-base/base/files";
import { plainPieces, plainText, requirePlain } from "limbeck-base/base/plain-file";
import { isSettled, stampsOf } from "limbeck-base/base/stamps";
import { TEMPORARY_PREFIX, type Files, type Looked } from "./files.ts";
import { fateOf, thisProcess, type ProcessIdentity } from "limbeck-base/base/process-identity";

export function localFiles(root: string): Files {
  const at = (path: string): string => pathInside(root, path);
  const temporary = (path: string): string =>
    join(dirname(at(path)), `${TEMPORARY_PREFIX}${process.pid}-${randomBytes(6).toString("hex")}`);
  return {
    list: (folder) => named("list", at(folder), () => listFolder(at(folder))),
    all: (folder) => named("list", at(folder), () => filesBelow(at(folder), folder)),
    read: (path) => plainText(at(path)),
    stat: (path) => named("look at", at(path), () => statFile(at(path))),
    digest: (path) => named("read", at(path), () => digestOf(at(path))),
    put: (path, bytes) =>
      named("write", at(path), async () => {
        await makeFolder(dirname(at(path)));
        await writeDurably(at(path), bytes);
        await syncFolder(dirname(at(path)));
      }),
    putIfAbsent: (path, bytes) =>
      named("create", at(path), async () => {
        await makeFolder(dirname(at(path)));
        const created = await createWhole(temporary(path), at(path), bytes);
        await syncFolder(dirname(at(path)));
        return created;
      }),
    look: (path) => named("read", at(path), () => lookAt(at(path), temporary(path))),
    exchange: (path, bytes, version) =>
      named("write", at(path), () => exchangeFile(at(path), bytes, version, () => temporary(path))),
    append: (path, text) => named("append to", at(path), () => appendFile(at(path), text)),
    remove: (path) => named("remove", at(path), () => rm(at(path), { force: true })),
    removeFolder: (path) =>
      named("remove", at(path), async () => {
        const hidden = temporary(path);
        await rename(at(path), hidden);
        await rm(hidden, { recursive: true, force: true });
      }),
    stamps: (runs) => runStamps(root, runs),
    location: at,
    address: at,
    scratch: async (path) => {
      await named("write", at(path), () => makeFolder(dirname(at(path))));
      return temporary(path);
    },
    adopt: (scratch, path) =>
      named("write", at(path), async () => {
        const handle = await open(scratch, "r+");
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(scratch, at(path));
        await syncFolder(dirname(at(path)));
      }),
  };
}

/**
 * A commit makes a file in one folder, a lost segment leaves the other. `run.json` is written once; a run that is made anew
 * has new folders. A run without commits has none yet, and no stamp.
 */
async function runStamps(root: string, runs: readonly string[]): Promise<Map<string, string>> {
  const stamps = await stampsOf(runs.flatMap((run) => ["commits", "segments"].map((name) => join(root, run, name))));
  const found = new Map<string, string>();
  for (const [at, run] of runs.entries()) {
    const [commits, segments] = [stamps[2 * at], stamps[2 * at + 1]];
    if (commits === undefined || !isSettled(commits) || (segments !== undefined && !isSettled(segments))) continue;
    found.set(run, `${commits.text}, ${segments?.text ?? "-"}`);
  }
  return found;
}

async function listFolder(folder: string): Promise<string[]> {
  return (await namesIfThere(folder)) ?? [];
}

async function filesBelow(folder: string, shown: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [shown, ...relative(folder, join(parentPath, name)).split(sep)].join("/"));
}

async function statFile(path: string): Promise<{ bytes: number; modifiedMs: number } | undefined> {
  try {
    const found = await stat(path);
    requirePlain(path, found);
    return { bytes: found.size, modifiedMs: found.mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    await pipeline(await plainPieces(path, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return hash.digest("hex");
}

/** Not by Node's own recursion, which calls a read-only file system "no such file or directory". */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch((again: unknown) => {
      if (errorCode(again) !== "EEXIST") throw again;
    });
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, "wx");
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await handle.close();
    // Half a file is of no use to anyone, and on a full disk its space is.
    await unlink(path).catch(() => undefined);
    throw error;
  }
  await handle.close();
}

/** A hard link fails when the name exists and shows the file only whole, which no rename offers. */
async function createWhole(scratch: string, path: string, bytes: Uint8Array): Promise<boolean> {
  await writeDurably(scratch, bytes);
  try {
    await link(scratch, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!NO_LINKS.has(errorCode(error) ?? "")) throw error;
    return await createInPlace(path, bytes);
  } finally {
    // It may be gone already; the next clean-up takes what is left over.
    await unlink(scratch).catch(() => undefined);
  }
}

const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/**
 * For file systems without hard links (some network mounts, FAT). Exclusive too, but a reader may meet the file before
 * it is whole, and a crash may leave it so; the commit log treats such a file as one that is still being written.
 */
async function createInPlace(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await writeDurably(path, bytes);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Runs a file operation; what goes wrong is an error that names the file and the way out. */
async function named<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    const known = SYSTEM_ERRORS[errorCode(cause) ?? ""];
    if (known === undefined) {
      throw new EngineError("file-error", `Cannot ${verb} ${path}: ${(cause as Error).message}`, {
        details: { path },
        cause,
      });
    }
    throw new EngineError(known.code, `Cannot ${verb} ${path}: ${known.why}`, { details: { path }, cause });
  }
}

interface Known {
  readonly code: EngineErrorCode;
  readonly why: string;
}

const DENIED: Known = {
  code: "no-access",
  why: "this user may not. Change its permissions or choose another store folder.",
};
const FULL: Known = {
  code: "disk-full",
  why: "there is no space left. Nothing committed is lost; free some space and try again.",
};

const SYSTEM_ERRORS: Readonly<Record<string, Known>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: { code: "no-access", why: "the file system is read-only. Choose another store folder." },
  ENOSPC: FULL,
  EDQUOT: FULL,
  EFBIG: { code: "disk-full", why: "the file would be larger than this system allows. Nothing committed is lost." },
  ENOENT: { code: "not-found", why: "it does not exist." },
  ENOTDIR: { code: "bad-store", why: "a part of the path is a file, not a folder. Choose another store folder." },
  EMFILE: { code: "too-many-files", why: "too many files are open. Raise the limit (ulimit -n)." },
};

// A file of a folder that is replaced only by a process that has seen its last version. File systems have no such operation: who may
// replace a version is who first gives a name that is made of it.

/** A process that takes longer to replace a file, on an unreachable machine, is passed over. */
const PATIENCE_MS = 60_000;

/** `scratch`: a name of one's own beside it, whose time is that of the file system's own clock. */
async function lookAt(path: string, scratch: string): Promise<Looked | undefined> {
  try {
    const [text, { mtimeMs }] = [await plainText(path, "settings"), await stat(path)];
    return { text, version: versionOf(text), ageMs: (await clockOf(scratch)) - mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function exchangeFile(
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
