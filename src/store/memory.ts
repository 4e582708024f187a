/**
 * What a store that stays open remembers between two reads: the folds of its runs, so that only new commits are read,
 * and the databases over its last snapshots, so that footers and pages of segments are not read again.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Fold } from "./commit-format.ts";
import type { Database } from "./database.ts";
import type { RunFile } from "./run-file.ts";
import type { RunSnapshot } from "./snapshot.ts";

/** One over all runs and a few over single ones. */
const DATABASES = 6;

export interface Memory {
  /** The last fold of this very run; a run that was deleted and made again has none. */
  fold(file: RunFile): Fold | undefined;
  remember(snapshot: RunSnapshot): void;
  /** A database over exactly this snapshot, opened when there is none. Its `close` gives it back. */
  database(runs: readonly RunSnapshot[], open: () => Promise<Database>): Promise<Database>;
  /** Something went wrong with it: the next reader opens a new one. */
  forget(runs: readonly RunSnapshot[]): void;
  close(): void;
}

interface Kept {
  readonly opening: Promise<Database>;
  users: number;
  dropped: boolean;
}

export function createMemory(): Memory {
  const folds = new Map<string, { readonly createdAt: string; readonly fold: Fold }>();
  const databases = new Map<string, Kept>();
  const drop = (key: string): void => {
    const kept = databases.get(key);
    if (kept === undefined) return;
    databases.delete(key);
    kept.dropped = true;
    if (kept.users === 0) closeQuietly(kept);
  };
  return {
    fold: ({ id, createdAt }) => {
      const known = folds.get(id);
      return known?.createdAt === createdAt ? known.fold : undefined;
    },
    remember: ({ file, fold }) => {
      folds.set(file.id, { createdAt: file.createdAt, fold });
    },
    database: async (runs, open) => {
      const key = keyOf(runs);
      const kept = databases.get(key) ?? { opening: open(), users: 0, dropped: false };
      // The one used last stands last, so that the first is the one to drop.
      databases.delete(key);
      databases.set(key, kept);
      kept.users += 1;
      const giveBack = (): void => {
        kept.users -= 1;
        if (kept.dropped && kept.users === 0) closeQuietly(kept);
      };
      for (const old of [...databases.keys()].slice(0, -DATABASES)) drop(old);
      try {
        return await lent(await kept.opening, giveBack);
      } catch (error) {
        drop(key);
        giveBack();
        throw error;
      }
    },
    forget: (runs) => drop(keyOf(runs)),
    close: () => {
      for (const key of [...databases.keys()]) drop(key);
      folds.clear();
    },
  };
}

function keyOf(runs: readonly RunSnapshot[]): string {
  return JSON.stringify(runs.map(({ file, fold }) => [file.id, file.createdAt, fold.number]));
}

function closeQuietly({ opening }: Kept): void {
  opening.then(
    (database) => database.close(),
    () => undefined,
  );
}

/** The same database with connections of its own; to close it closes those. */
async function lent(database: Database, giveBack: () => void): Promise<Database> {
  const connections: DuckDBConnection[] = [];
  let open = true;
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await database.connect();
    connections.push(connection);
    return connection;
  };
  return {
    connection: await connect(),
    connect,
    close: () => {
      if (!open) return;
      open = false;
      for (const connection of connections) connection.closeSync();
      giveBack();
    },
  };
}
