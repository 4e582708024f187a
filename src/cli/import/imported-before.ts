/** Which files a store has already: an import keeps the hash of what it has read to its end, beside what it has stored. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Store } from "../../store/store.ts";
import type { JsonObject } from "../../trajectory/index.ts";

/** A file that was not read, and the run that has it. */
export interface Known {
  readonly path: string;
  readonly run: string;
}

/** The state of a run that has read these to their end. The list may grow until the run commits. */
export function importedState(keys: readonly string[]): JsonObject {
  return { imported: keys };
}

/** The content of a file or a folder, and the format it is read by: another format gives other trajectories. */
export async function keyOf(path: string, format: string): Promise<string> {
  const hash = createHash("sha256").update(format);
  for (const file of await filesBelow(path)) {
    hash.update(`\0${relative(path, file)}\0`);
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}

async function filesBelow(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The run that holds each key. A run whose state cannot be read holds nothing. */
export async function runsByKey(store: Store, except: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { id, kind, problem } of await store.runs({ remembered: true })) {
    if (kind !== "import" || id === except || problem !== undefined) continue;
    // A run whose state cannot be read holds nothing; at worst a session is offered again.
    const imported = (await store.stateOf(id).catch(() => undefined))?.["imported"];
    for (const key of Array.isArray(imported) ? imported : []) {
      if (typeof key === "string" && !found.has(key)) found.set(key, id);
    }
  }
  return found;
}
