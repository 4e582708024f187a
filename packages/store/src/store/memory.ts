/**
 * What a store that stays open remembers between two reads: the folds of its runs, so that only new commits are read,
 * and the databases over its last snapshots, so that footers and pages of segments are not read again.
 */
import type { EngineError } from "limbeck-base/base/errors";
import { KeptOpen } from "limbeck-base/base/recent";
import type { Fold } from "./commit-format.ts";
import { lendDatabase, type Database } from "./database.ts";
import type { Files } from "./files.ts";
import { TrajectoryList } from "./listing.ts";
import type { Schema } from "./migrations.ts";
import { PlainTables } from "./plain-query.ts";
import type { RunFile } from "./run-file.ts";
import type { RunSnapshot } from "./snapshot.ts";

/** Segments do not vanish by themselves; a query that misses one says so at once. */
const LOOK_AGAIN_MS = 10_000;
/** One over all runs and a few over single ones. */
const DATABASES = 6;

export interface StoreCache {
  /** The last fold of this very run; a run that was deleted and made again has none. */
  fold(file: RunFile): Fold | undefined;
  remember(snapshot: RunSnapshot): void;
  /** What was found when the segments of this snapshot were last looked at; undefined when that is too long ago. */
  fault(snapshot: RunSnapshot): { readonly error: EngineError | undefined } | undefined;
  rememberFault(snapshot: RunSnapshot, error: EngineError | undefined): void;
  /** A database over exactly this snapshot, opened when there is none. Its `close` gives it back. */
  database(runs: readonly RunSnapshot[], open: () => Promise<Database>): Promise<Database>;
  /** Something went wrong with it: the next reader opens a new one. */
  forget(runs: readonly RunSnapshot[]): void;
  /** The table of all trajectories. */
  readonly listing: TrajectoryList;
  /** Without DuckDB. */
  readonly plain: PlainTables;
  close(): Promise<void>;
}

export function createMemory(files: Files, schema: Schema): StoreCache {
  const [listing, plain] = [new TrajectoryList(files, schema), new PlainTables(files)];
  const folds = new Map<string, { readonly createdAt: string; readonly fold: Fold }>();
  const faults = new Map<
    string,
    { readonly fold: Fold; readonly at: number; readonly error: EngineError | undefined }
  >();
  const databases = new KeptOpen<Database>(DATABASES, (database) => database.close());
  return {
    fold: ({ id, createdAt }) => {
      const known = folds.get(id);
      return known?.createdAt === createdAt ? known.fold : undefined;
    },
    remember: ({ file, fold }) => {
      folds.set(file.id, { createdAt: file.createdAt, fold });
    },
    listing,
    plain,
    fault: ({ file, fold }) => {
      const known = faults.get(file.id);
      if (known?.fold !== fold || performance.now() - known.at > LOOK_AGAIN_MS) return undefined;
      return { error: known.error };
    },
    rememberFault: ({ file, fold }, error) => {
      faults.set(file.id, { fold, at: performance.now(), error });
    },
    database: async (runs, open) => {
      const key = keyOf(runs);
      const { value, release } = await databases.lease(key, open);
      try {
        return await lendDatabase(value, () => void release());
      } catch (error) {
        await databases.drop(key);
        await release();
        throw error;
      }
    },
    forget: (runs) => {
      void databases.drop(keyOf(runs));
      for (const { file } of runs) faults.delete(file.id);
    },
    close: async () => {
      await listing.close();
      await plain.close();
      await databases.close();
      folds.clear();
    },
  };
}

function keyOf(runs: readonly RunSnapshot[]): string {
  return JSON.stringify(runs.map(({ file, fold }) => [file.id, file.createdAt, fold.number]));
}
