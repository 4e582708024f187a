/** One run of an operation: begin it in the store, collect into it, keep or drop it, say what came of it. */
import { basename, dirname, resolve } from "node:path";
import { dropEmpty, foldersToCome } from "limbeck-base/base/empty-folders";
import { isAbort, withoutReport } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { isObjectAddress } from "limbeck-base/base/object-address";
import type { Context } from "limbeck-base/base/operation";
import type { CreateRunOptions, RunWriter, Store } from "./store.ts";

export interface RunEnd {
  /** Null where nothing was stored: an empty run would only be litter. */
  readonly run: string | null;
  /** What ended it early, or makes its result worthless. */
  readonly fault: unknown;
  /** Trajectories in the store, where the last of them could not be written; undefined where all could. */
  readonly committed?: number;
  readonly durationMs: number;
}

export interface RunWork {
  /** The store and the run's id. */
  readonly place: RunPlace;
  /** A new run of this kind, or how to open one. */
  readonly begin: Omit<CreateRunOptions, "id"> | ((store: Store, id: string | undefined) => Promise<RunWriter>);
  /** May throw at any moment: what it has stored by then is committed. Nothing is seen before it commits or ends. */
  readonly collect: (writer: RunWriter, store: Store) => Promise<void>;
  /** How many trajectories it has stored. */
  readonly stored: () => number;
  /** Whether the run stays although nothing was stored: it was there before, or keeps something. Default: no. */
  readonly stays?: () => boolean;
  /** Why the result is worthless although nothing was thrown. */
  readonly judge?: () => unknown;
  /** After a fault too. */
  readonly say: (end: RunEnd) => void;
  /** After Ctrl-C too, the error is reported. */
  readonly reportsStop?: boolean;
}

export interface RunPlace {
  readonly root: string;
  readonly id: string | undefined;
}

/** A folder of its own, or a run in the store. */
export function placeFor({ store, cwd }: Pick<Context, "store" | "cwd">, id?: string, dir?: string): RunPlace {
  if (dir === undefined) return { root: store, id };
  const folder = resolve(cwd, dir);
  return { root: isObjectAddress(store) ? store : dirname(folder), id: basename(folder) };
}

/** Throws what ended the work, after the end was reported. */
export async function withRun({ now }: Pick<Context, "now">, work: RunWork): Promise<void> {
  const { root } = work.place;
  const coming = isObjectAddress(root) ? [] : foldersToCome(root);
  const { openStore } = await import("./open-store.ts");
  try {
    const store = openStore(root);
    try {
      await fillRun(work, store, now);
    } finally {
      await store.close();
    }
  } finally {
    await dropEmpty(coming);
  }
}

async function fillRun(work: RunWork, store: Store, now: () => number): Promise<void> {
  const started = now();
  const { begin, place } = work;
  const writer =
    typeof begin === "function"
      ? await begin(store, place.id)
      : await store.createRun(withoutUndefined({ ...begin, id: place.id }));
  let fault: unknown;
  try {
    await work.collect(writer, store);
  } catch (error) {
    fault = error;
  }
  // The first fault is the reason; a second one from the same full disk adds nothing.
  let committed: number | undefined;
  await writer.close().catch(async (error: unknown) => {
    fault ??= error;
    // What was read is not what was stored.
    const [summary] = await store.runs({ only: writer.run }).catch(() => []);
    committed = summary?.trajectories ?? 0;
  });
  fault ??= work.judge?.();
  const kept = (committed ?? work.stored()) > 0 || work.stays?.() === true;
  // An empty run that stays does no harm; the error of the work is the one to tell.
  if (!kept) await store.deleteRun(writer.run).catch(() => undefined);
  work.say({
    run: kept ? writer.run : null,
    fault,
    ...withoutUndefined({ committed }),
    durationMs: Math.round(now() - started),
  });
  if (fault !== undefined) throw work.reportsStop !== true && isAbort(fault) ? withoutReport(fault) : fault;
}
