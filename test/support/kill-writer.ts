/**
 * A writer that is killed. It appends and commits without end and says on its standard output what has been committed,
 * one line of ids for each commit. With a number it kills itself in the middle of that file operation; without one it
 * waits to be killed from outside.
 *
 * Arguments: store folder, name of this writer, number of the fatal file operation or "-".
 */
import { writeFileSync, writeSync } from "node:fs";
import { createRng } from "../../src/base/index.ts";
import type { Files } from "../../src/store/files.ts";
import { openStore } from "../../src/store/index.ts";
import { localFiles } from "../../src/store/local-files.ts";
import { madeFrom, RUN } from "./kill-data.ts";

const [root = "", name = "", fatal = "-"] = process.argv.slice(2);
let operation = 0;

/** Dies before the operation, after half of it, or after all of it but before anyone hears of it. */
async function mayDie<T>(path: string, bytes: Uint8Array, work: () => Promise<T>): Promise<T> {
  operation += 1;
  if (String(operation) !== fatal) return await work();
  const moment = createRng(`${name}-moment`).int(3);
  if (moment === 1) writeFileSync(files.location(`${path}.half`), bytes.subarray(0, bytes.length >> 1));
  if (moment === 2) await work();
  process.kill(process.pid, "SIGKILL");
  return await new Promise<never>(() => undefined);
}

const files = localFiles(root);
const fragile: Files = {
  ...files,
  put: (path, bytes) => mayDie(path, bytes, () => files.put(path, bytes)),
  putIfAbsent: (path, bytes) => mayDie(path, bytes, () => files.putIfAbsent(path, bytes)),
};

const writer = await openStore(root, { files: fragile }).openRun(RUN);
const rng = createRng(name);
for (let commit = 0; ; commit += 1) {
  const ids = Array.from({ length: 1 + rng.int(3) }, (_, index) => `${name}-${commit}-${index}`);
  for (const id of ids) await writer.append(madeFrom(id));
  await writer.commit();
  // Synchronous: what has been said has left the process, whenever it dies.
  writeSync(1, `${ids.join(" ")}\n`);
}
