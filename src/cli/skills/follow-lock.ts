/**
 * One follower at a time: a file in the store that says who follows. Two would each read the same sessions and store them twice, and
 * the state that says how far files were read would be that of the last to write it.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants, copyFile, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { EngineError, isObject } from "../../base/index.ts";
import { isObjectAddress } from "../../base/object-address.ts";

const NAME = "following.lock";

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Takes the lock and gives the way to let it go. One that a dead process of this machine left is taken over. A store behind an address
 * has none: nobody can see from here whether a process of another machine lives.
 */
export async function lockFollowing(root: string, now: () => Date = () => new Date()): Promise<() => Promise<void>> {
  if (isObjectAddress(root)) return async () => {};
  await mkdir(root, { recursive: true });
  const file = join(root, NAME);
  const holder: Holder = { pid: process.pid, host: hostname(), since: now().toISOString() };
  const text = `${JSON.stringify({ ...holder, id: randomUUID() })}\n`;
  // Written whole beside it first: who reads the lock never sees half of it.
  const own = `${file}-${process.pid}-${randomUUID()}`;
  await writeFile(own, text);
  try {
    for (;;) {
      if (await isFree(own, file)) return async () => await letGo(file, text);
      // Where it was let go between the two looks, the next round takes it.
      const found = await readFile(file, "utf8").catch(() => undefined);
      if (found === undefined) continue;
      const other = holderOf(found);
      if (other === undefined || !isGone(other)) throw busy(file, other);
      if (await takeOver(own, file, found)) return async () => await letGo(file, text);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Only one of several can give a name that is not there. Some file systems have no links; a copy is then whole a moment later. */
async function isFree(own: string, file: string): Promise<boolean> {
  const exists = (error: NodeJS.ErrnoException): boolean => error.code === "EEXIST";
  try {
    await link(own, file).catch(async (error: NodeJS.ErrnoException) => {
      if (exists(error)) throw error;
      await copyFile(own, file, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (exists(error as NodeJS.ErrnoException)) return false;
    throw error;
  }
}

/**
 * Puts the own lock in the place of a stale one. Several may find it stale: who may exchange this very one is who gives a name that
 * is made of it, and only where it is still there then.
 */
async function takeOver(own: string, file: string, stale: string): Promise<boolean> {
  const right = `${file}-${createHash("sha256").update(stale).digest("hex").slice(0, 12)}`;
  if (!(await isFree(own, right))) {
    // Gone meanwhile: nobody holds it.
    const other = holderOf(await readFile(right, "utf8").catch(() => ""));
    if (other !== undefined && isGone(other)) await rm(right, { force: true });
    return false;
  }
  try {
    // Gone meanwhile: somebody else was faster.
    if ((await readFile(file, "utf8").catch(() => "")) !== stale) return false;
    await rename(own, file);
    return true;
  } finally {
    await rm(right, { force: true });
  }
}

async function letGo(file: string, text: string): Promise<void> {
  // What is gone, or not ours to read, is not ours to let go.
  if ((await readFile(file, "utf8").catch(() => "")) === text) await rm(file, { force: true });
}

function holderOf(text: string): Holder | undefined {
  try {
    const found: unknown = JSON.parse(text);
    if (!isObject(found)) return undefined;
    const { pid, host, since } = found;
    return typeof pid === "number" && Number.isInteger(pid) && pid > 0 && typeof host === "string"
      ? { pid, host, since: typeof since === "string" ? since : "unknown" }
      : undefined;
  } catch {
    return undefined;
  }
}

function isGone({ pid, host }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function busy(file: string, other: Holder | undefined): EngineError {
  const who =
    other === undefined
      ? "by whom cannot be read"
      : `by process ${other.pid} on ${JSON.stringify(other.host)} since ${other.since}`;
  return new EngineError(
    "store-busy",
    `This store is followed already (${who}); a second follower would store sessions twice. Stop that one, or give another --store. If it is not running, delete ${JSON.stringify(file)}.`,
    { details: { file, ...other } },
  );
}
