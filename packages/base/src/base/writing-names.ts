/**
 * Names for what is being written and then given its own name. They say whose they are, so that no process removes what a living
 * process writes, and what a dead one left goes.
 */
import { createHash, randomBytes } from "node:crypto";
import { mkdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { namesIfThere } from "./files.ts";
import { fateOf, thisProcess } from "./process-identity.ts";

const PREFIX = ".writing-";
const NAME = /^\.writing-(\d+)\.(\d+)\.([0-9a-f]{8})-/;
/** Of a process that cannot be looked at: on another machine, or of an earlier release. */
const LEFT_AFTER_MS = 24 * 60 * 60_000;

/** A unique name in the same folder. */
export function writingBeside(path: string): string {
  const { pid, started } = thisProcess();
  const owner = `${pid}.${started ?? 0}.${placeOf()}`;
  return join(dirname(path), `${PREFIX}${owner}-${randomBytes(4).toString("hex")}-${basename(path)}`);
}

/** Gives `write` a folder under such a name, beside what it will become; whatever is left of it then goes. */
export async function writeBeside<T>(path: string, write: (folder: string) => Promise<T>): Promise<T> {
  await removeLeft(dirname(path));
  const folder = writingBeside(path);
  await mkdir(folder, { recursive: true });
  try {
    return await write(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what dead processes left in a folder. */
export async function removeLeft(folder: string): Promise<void> {
  for (const name of (await namesIfThere(folder)) ?? []) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    if (await isLeft(name, path)) await rm(path, { recursive: true, force: true });
  }
}

async function isLeft(name: string, path: string): Promise<boolean> {
  const [, pid, started, place] = NAME.exec(name) ?? [];
  if (place === placeOf()) {
    const owner = { ...thisProcess(), pid: Number(pid), started: started === "0" ? null : (started ?? null) };
    return fateOf(owner) === "gone";
  }
  // Gone meanwhile, or not to be looked at: then it is not ours to remove.
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > LEFT_AFTER_MS;
}

/** The machine and its space of process numbers, short. */
function placeOf(): string {
  const { host, space } = thisProcess();
  return createHash("sha256").update(`${host} ${space}`).digest("hex").slice(0, 8);
}
