/**
 * Copies of segments on this machine. Segments never change and their names are used once, so that a copy stays right;
 * `verify.ts` compares it with the checksum of its commit before it is read. What was not used for longest goes first when
 * the copies take more than their share.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EngineError, errorCode } from "../../base/errors.ts";
import { isThere, pathInside, statIfThere } from "../../base/files.ts";
import { TEMPORARY_PREFIX } from "../files.ts";
import type { Environment } from "./address.ts";

/** What was used since then stays: a query may have it open. */
const IN_USE_MS = 10 * 60_000;
const DEFAULT_GB = 20;

/** LIMBECK_CACHE, or `limbeck/runs` where this system keeps what can be fetched again. */
export function copiesFolder(environment: Environment, platform: NodeJS.Platform = process.platform): string {
  const given = environment["LIMBECK_CACHE"];
  if (given !== undefined && given !== "") return given;
  const home = environment["HOME"] ?? homedir();
  const other = platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
  const cache =
    platform === "win32" ? (environment["LOCALAPPDATA"] ?? other) : (environment["XDG_CACHE_HOME"] ?? other);
  return join(cache, "limbeck", "runs");
}

/** LIMBECK_CACHE_GB in bytes. Default: 20. */
export function copiesLimit(environment: Environment): number {
  const given = environment["LIMBECK_CACHE_GB"] ?? "";
  const gigabytes = given === "" ? DEFAULT_GB : Number(given);
  if (gigabytes >= 0) return gigabytes * 1e9;
  throw new EngineError(
    "bad-option",
    `LIMBECK_CACHE_GB is ${JSON.stringify(given)}; it must be a number from 0. Default: ${DEFAULT_GB}.`,
  );
}

export interface CopyFolder {
  /** Where the copy of a file is or would be. */
  at(path: string): string;
  has(path: string): Promise<boolean>;
  drop(path: string): Promise<void>;
  /** Fills a new copy and shows it whole; `fill` says whether there is such a file. */
  add(path: string, fill: (append: (bytes: Buffer) => Promise<void>) => Promise<boolean>): Promise<boolean>;
  /** A name beside the copy for a file in the making. */
  scratch(path: string): Promise<string>;
  /** Makes a file in the making the copy. */
  keep(scratch: string, path: string): Promise<void>;
}

export function openCopies(root: string, { mostBytes }: { readonly mostBytes: number }): CopyFolder {
  const at = (path: string): string => pathInside(root, path);
  let added = Number.POSITIVE_INFINITY;
  const scratch = async (path: string): Promise<string> => {
    await mkdir(dirname(at(path)), { recursive: true });
    return join(dirname(at(path)), `${TEMPORARY_PREFIX}${process.pid}-${randomBytes(6).toString("hex")}`);
  };
  const keep = async (from: string, path: string): Promise<void> => {
    await rename(from, at(path));
    added += (await statIfThere(at(path)))?.size ?? 0;
    // Looked at when the first copy comes, and then whenever a twentieth of the share was added.
    if (added < mostBytes / 20) return;
    added = 0;
    await makeRoom(root, mostBytes);
  };
  return {
    at,
    has: (path) => isThere(at(path)),
    drop: (path) => rm(at(path), { force: true }),
    add: async (path, fill) => {
      const name = await scratch(path);
      try {
        const handle = await open(name, "wx");
        try {
          if (!(await fill((bytes) => handle.writeFile(bytes)))) return false;
        } finally {
          await handle.close();
        }
        await keep(name, path);
        return true;
      } finally {
        await rm(name, { force: true });
      }
    },
    scratch,
    keep,
  };
}

/** Marks a copy as used now. */
export async function touch(path: string): Promise<void> {
  const now = new Date();
  // The time only says what to forget first.
  await utimes(path, now, now).catch(() => undefined);
}

async function makeRoom(root: string, mostBytes: number): Promise<void> {
  // No folder, no copies.
  const names = await readdir(root, { recursive: true }).catch(() => []);
  const found: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = [];
  for (const name of names.filter((one) => /\.parquet$|\.tmp-[^/\\]*$/.test(one))) {
    const known = await statIfThere(join(root, name));
    if (known?.isFile() === true) found.push({ path: join(root, name), bytes: known.size, usedMs: known.mtimeMs });
  }
  let bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of found.sort((left, right) => left.usedMs - right.usedMs)) {
    if (bytes <= mostBytes || one.usedMs > Date.now() - IN_USE_MS) return;
    await rm(one.path, { force: true }).catch((error: unknown) => {
      // Windows does not remove what is open.
      if (!["EBUSY", "EPERM"].includes(errorCode(error) ?? "")) throw error;
    });
    bytes -= one.bytes;
  }
}
