/**
 * Compacts one store over and over, with a grace period of 30 ms, until its standard input ends. Prints faults as the
 * reader does, and at the end how often it has compacted and how many files it has deleted.
 *
 * Arguments: store folder.
 */
import { setTimeout } from "node:timers/promises";
import { errorData } from "../../packages/base/src/base/errors.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";

const [root = ""] = process.argv.slice(2);
const store = openStore(root);

process.stdin.resume();
const print = (line: string): void => void process.stdout.write(`${line}\n`);

let rounds = 0;
let deleted = 0;
while (!process.stdin.readableEnded) {
  try {
    for (const { filesDeleted } of await store.compact({ graceMs: 30 })) deleted += filesDeleted;
    rounds += 1;
    // Lets a few segments come together, so that there is something to merge.
    await setTimeout(20);
  } catch (error) {
    print(`fault: ${JSON.stringify(errorData(error))}`);
  }
}
print(`compactions ${rounds}`);
print(`deleted ${deleted}`);
