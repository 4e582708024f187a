/**
 * Whole trajectories back from the segments, in commit order and bounded memory.
 *
 * Trajectories, steps and rewards stand in the same order in their segments, so three streams are merged: the next
 * `step_count` step rows belong to the next trajectory. No join, no sort.
 */
import { isAbort } from "../base/errors.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { Part } from "./commit-format.ts";
import type { Files } from "./files.ts";
import { mergeTrajectories, type Source } from "./merge.ts";
import { orderedSelect, type Schema } from "./migrations.ts";
import { partsAround } from "./narrow.ts";
import { laterSelect } from "./outcomes.ts";
import { takeSnapshot, viewsOver, type Reading } from "./reading.ts";
import { isStale, queryError } from "./retry.ts";
import { segmentLocations, type RunSnapshot } from "./snapshot.ts";
import type { TrajectoryQuery } from "./store.ts";
import type { TableName } from "./tables.ts";

/** Small parts are read together, up to this many trajectories. */
const BATCH_TRAJECTORIES = 4096;
const TRIES = 100;

export async function* readTrajectories(
  reading: Reading,
  query: TrajectoryQuery,
): AsyncGenerator<Trajectory, void, undefined> {
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  for (const { file } of await takeSnapshot(reading, query)) {
    for await (const trajectory of readRunTrajectories(reading, query, file.id)) {
      yield trajectory;
      left -= 1;
      if (left <= 0) return;
    }
  }
}

async function* readRunTrajectories(
  reading: Reading,
  query: TrajectoryQuery,
  run: string,
): AsyncGenerator<Trajectory, void, undefined> {
  const { files, schema, memory } = reading;
  // How many stored trajectories have been passed. Commits only append and compaction keeps the order, so this is a
  // place in the run that stays right when its files are replaced underneath.
  let passed = 0;
  for (let tries = 0; ;) {
    const runs = await takeSnapshot(reading, query);
    const snapshot = runs.find(({ file }) => file.id === run);
    if (snapshot === undefined) return;
    try {
      const database = (await memory?.listing.lend()) ?? (await viewsOver(reading, runs));
      try {
        const holding =
          query.ids === undefined ? undefined : await partsAround(database.connection, reading, [snapshot], query.ids);
        for (const batch of batches(snapshot.fold.parts, holding)) {
          if (batch.before + batch.count <= passed) continue;
          const source = sourceOf(files, schema, snapshot, batch.parts);
          for await (const { trajectory, ordinal } of mergeTrajectories(
            database,
            source,
            query,
            passed - batch.before,
          )) {
            yield trajectory;
            passed = batch.before + ordinal + 1;
            tries = 0;
          }
          passed = batch.before + batch.count;
        }
        return;
      } finally {
        database.close();
      }
    } catch (error) {
      tries += 1;
      memory?.forget(runs);
      if (isAbort(error) || tries === TRIES || !(await isStale(files, runs, error))) throw queryError(error);
    }
  }
}

interface Batch {
  readonly parts: readonly Part[];
  /** Trajectories in the parts before these, and in these. */
  readonly before: number;
  readonly count: number;
}

/** Stretches of neighbouring parts; with `holding`, parts that are not in it are passed over. */
function* batches(parts: readonly Part[], holding?: ReadonlySet<Part>): Generator<Batch, void, undefined> {
  let batch: Batch = { parts: [], before: 0, count: 0 };
  for (const part of parts) {
    const count = part.segments.reduce((sum, { table, rows }) => (table === "trajectories" ? sum + rows : sum), 0);
    if (count === 0) continue;
    if (holding?.has(part) === false) {
      if (batch.count > 0) yield batch;
      batch = { parts: [], before: batch.before + batch.count + count, count: 0 };
      continue;
    }
    if (batch.count > 0 && batch.count + count > BATCH_TRAJECTORIES) {
      yield batch;
      batch = { parts: [], before: batch.before + batch.count, count: 0 };
    }
    batch = { ...batch, parts: [...batch.parts, part], count: batch.count + count };
  }
  if (batch.count > 0) yield batch;
}

function sourceOf(files: Files, schema: Schema, snapshot: RunSnapshot, parts: readonly Part[]): Source {
  const run = snapshot.file.id;
  const select = (table: TableName): string => orderedSelect(schema, table, segmentLocations(files, run, parts, table));
  return {
    schema,
    trajectories: select("trajectories"),
    steps: select("steps"),
    rewards: select("rewards"),
    later: laterSelect(files, schema, snapshot),
  };
}
