/**
 * A writer that is killed. It appends and commits without end and says on its standard output what has been committed,
 * one line of ids for each commit. It kills itself in the middle of the fatal file operation; without one it waits to be
 * killed from outside.
 *
 * Arguments: store folder or address, name of this writer, fatal operation: "put-3" for its third segment, "commit-2" for its second
 * commit file, "-" for none; number of commits. Default: without end.
 */
import { mkdirSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { isObjectAddress } from "../../packages/base/src/base/object-address.ts";
import type { Files } from "../../packages/store/src/store/files.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { localFiles } from "../../packages/store/src/store/local-files.ts";
import { objectFiles } from "../../packages/store/src/store/object/object-files.ts";
import { madeFrom, RUN } from "./kill-data.ts";

const [root = "", name = "", fatal = "-", commits = "Infinity"] = process.argv.slice(2);
const operations = { put: 0, commit: 0 };
const isElsewhere = isObjectAddress(root);
const files: Files = isElsewhere ? objectFiles(root, process.env) : localFiles(root);

/** Dies before the operation, after half of it, or after all of it but before anyone hears of it. */
async function mayDie<T>(kind: "put" | "commit", half: () => void, work: () => Promise<T>): Promise<T> {
  operations[kind] += 1;
  if (`${kind}-${operations[kind]}` !== fatal) return await work();
  const moment = createRng(`${name}-moment`).int(3);
  // Elsewhere half of an operation is a request that is on its way, or half of one.
  if (moment === 1 && isElsewhere) {
    void work().catch(() => undefined);
    await setTimeout(createRng(`${name}-wait`).int(6));
  } else if (moment === 1) half();
  if (moment === 2) await work();
  process.kill(process.pid, "SIGKILL");
  return await new Promise<never>(() => undefined);
}

/** What a write leaves that was cut off in the middle: a segment under its own name, a commit under a temporary one. */
function writeHalf(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(files.location(path)), { recursive: true });
  writeFileSync(files.location(path), bytes.subarray(0, bytes.length >> 1));
}

const fragile: Files = {
  ...files,
  put: (path, bytes) =>
    mayDie(
      "put",
      () => writeHalf(path, bytes),
      () => files.put(path, bytes),
    ),
  putIfAbsent: (path, bytes) =>
    mayDie(
      "commit",
      () => writeHalf(`${RUN}/commits/.tmp-${name}`, bytes),
      () => files.putIfAbsent(path, bytes),
    ),
};

const writer = await openStore(root, { files: fragile }).openRun(RUN, { beside: true });
const rng = createRng(name);
for (let commit = 0; commit < Number(commits); commit += 1) {
  const ids = Array.from({ length: 1 + rng.int(3) }, (_, index) => `${name}-${commit}-${index}`);
  for (const id of ids) await writer.append(madeFrom(id));
  await writer.commit();
  // Synchronous: what has been said has left the process, whenever it dies.
  writeSync(1, `${ids.join(" ")}\n`);
}
