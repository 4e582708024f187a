/**
 * A training with a scripted policy that is killed: its updates are stored as a training stores them, and its checkpoint is a file.
 * It begins by looking at what the life before has left.
 *
 *     kill-update ROOT DIR LEAST MOST BUFFER_STEPS UPDATES
 *
 * ROOT is the store, DIR the folder of the checkpoint; LEAST to MOST steps an update; UPDATES more than there are, or -1 without
 * end. When it is done it waits until its standard input ends, still holding the run. It says, a line each: "there N" (updates
 * that were stored), "ready", "began N", "first N" (bytes of it are on disk), "stored N", "saved N", "fault …", "refused …", "done".
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { errorData } from "../../packages/base/src/base/errors.ts";
import { replaceFile, textIfThere } from "../../packages/base/src/base/files.ts";
import type { Files } from "../../packages/store/src/store/files.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { placeOf } from "../../packages/store/src/store/place.ts";
import { holdsRun, openRecords } from "../../packages/training/src/training/kept-records.ts";
import { recordUpdate } from "../../packages/training/src/training/one-update.ts";
import type { Records } from "../../packages/training/src/training/records.ts";
import { storedKey } from "../../packages/training/src/training/stored-key.ts";
import {
  digestAfter,
  expectedRows,
  nextDigest,
  RUN,
  scriptedEvent,
  scriptedRecord,
  type Sizes,
} from "./scripted-updates.ts";

const [root = "", dir = "", least, most, bufferSteps, more = "-1"] = process.argv.slice(2);
const sizes: Sizes = { least: Number(least), most: Number(most) };
const file = join(dir, "checkpoint.json");
// Synchronous: what was said has left the process, whenever it dies.
const say = (line: string): void => void writeSync(1, `${line}\n`);

interface Checkpoint {
  readonly update: number;
  readonly digest: number;
}

/** The number of the update that is at work, while nothing of it is on disk. */
let untouched = 0;
const files = placeOf(root).files();
const marking: Files = {
  ...files,
  put: async (path, bytes) => {
    await files.put(path, bytes);
    if (untouched > 0) say(`first ${untouched}`);
    untouched = 0;
  },
};

const open = async (): Promise<Records | undefined> => {
  try {
    const there = await holdsRun(root, RUN);
    const options = { files: marking, bufferSteps: Number(bufferSteps) };
    return await openRecords(root, RUN, { there, config: {} }, options);
  } catch (error) {
    const { code, message } = errorData(error);
    if (code !== "run-busy") throw error;
    say(`refused ${message}`);
    return undefined;
  }
};

/** Every id once, nothing lost, metrics and checkpoint of the same updates; in one query, which costs the time of one. */
async function check(stored: number, { update, digest }: Checkpoint): Promise<void> {
  const store = openStore(root);
  const sql = `select (select count(*) from trajectories), (select count(distinct id) from trajectories),
    (select coalesce(sum(step_count), 0) from trajectories), (select count(*) from steps), (select count(*) from digests),
    (select count(distinct step) from digests), (select coalesce(max(step), 0) from digests),
    (select count(*) from updates), (select count(distinct data) from updates),
    (select coalesce(max(value), 0) from digests where step = ${update})`;
  const views = `digests as (select step, value from metrics where name = 'digest'),
    updates as (select data ->> 'update' as data from events where kind = 'update')`;
  try {
    const found = [...((await store.query(`with ${views} ${sql}`, { run: RUN })).rows[0] ?? [])];
    const { episodes, steps } = expectedRows(stored, sizes);
    const wanted = [episodes, episodes, steps, steps, stored, stored, stored, stored, stored, digest];
    const names =
      "episodes ids counted-steps steps metrics updates-of-metrics last-metric events updates-of-events digest";
    for (const [at, name] of names.split(" ").entries()) {
      if (found[at] !== wanted[at]) say(`fault: ${name} ${String(found[at])} where ${String(wanted[at])} should be`);
    }
    if (digest !== digestAfter(update)) say(`fault: the checkpoint of update ${update} holds ${digest}`);
    if (update !== stored && update !== stored - 1)
      say(`fault: the checkpoint is of update ${update}, the store of ${stored}`);
  } finally {
    await store.close();
  }
}

async function live(records: Records): Promise<void> {
  const { writer, stored } = records;
  let there = 0;
  while (stored.has(storedKey("update", there + 1))) there += 1;
  let checkpoint = JSON.parse((await textIfThere(file)) ?? '{"update":0,"digest":0}') as Checkpoint;
  say(`there ${there}`);
  await check(there, checkpoint);
  // Loaded now: the first update must not take much longer than the others.
  await import("../../packages/store/src/store/segment.ts");
  say("ready");
  const last = more === "-1" ? Number.POSITIVE_INFINITY : checkpoint.update + Number(more);
  while (checkpoint.update < last) {
    const update = checkpoint.update + 1;
    const digest = nextDigest(checkpoint.digest, update);
    say(`began ${update}`);
    if (!stored.has(storedKey("update", update))) {
      untouched = update;
      await recordUpdate(writer, scriptedRecord(update, sizes), scriptedEvent(update, digest), []);
      say(`stored ${update}`);
    }
    checkpoint = { update, digest };
    await replaceFile(file, JSON.stringify(checkpoint));
    say(`saved ${update}`);
  }
}

// Without end: until whoever started it is gone.
if (more === "-1") process.stdin.resume().once("end", () => process.exit(4));
const records = await open();
if (records === undefined) process.exitCode = 3;
else {
  await live(records);
  say("done");
  for await (const _ of process.stdin);
  await records.close();
}
