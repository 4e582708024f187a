/** One run from the command line: begin it in the store, collect into it, keep or drop it, say what came of it. */
import { basename, dirname, resolve } from "node:path";
import { isAbort } from "../base/errors.ts";
import { withoutUndefined } from "../base/fields.ts";
import { isObjectAddress } from "../base/object-address.ts";
import type { CreateRunOptions, RunWriter, Store } from "../store/store.ts";
import type { Invocation } from "./command.ts";
import { dropEmpty, foldersToCome } from "./empty-folders.ts";
import { EXIT, exitCodeFor } from "./exit-code.ts";
import { withStore } from "./with-store.ts";

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
  /** The store and the run's id. Default: the command's store, an id from the time. */
  readonly place?: RunPlace;
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
  /** The exit code where nothing went wrong, if it is not 0. */
  readonly say: (end: RunEnd) => number | void;
  /** After Ctrl-C too, the error is told. */
  readonly tellsStop?: boolean;
}

export interface RunPlace {
  readonly root: string;
  readonly id: string | undefined;
}

/** `--dir`, a folder of its own, or `--run` in the store. */
export function givenPlace(invocation: Invocation): RunPlace {
  const dir = invocation.text("dir");
  if (dir === undefined) return { root: invocation.storeRoot, id: invocation.text("run") };
  const folder = resolve(invocation.io.cwd, dir);
  if (isObjectAddress(invocation.storeRoot)) return { root: invocation.storeRoot, id: basename(folder) };
  return { root: dirname(folder), id: basename(folder) };
}

export async function withRun(invocation: Invocation, work: RunWork): Promise<number> {
  const { root, id } = work.place ?? { root: invocation.storeRoot, id: invocation.text("run") };
  const coming = isObjectAddress(root) ? [] : foldersToCome(root);
  try {
    return await withStore(root, (store) => fillRun(invocation, work, store, id));
  } finally {
    await dropEmpty(coming);
  }
}

async function fillRun(invocation: Invocation, work: RunWork, store: Store, id: string | undefined): Promise<number> {
  const started = invocation.io.now();
  const { begin } = work;
  const writer =
    typeof begin === "function" ? await begin(store, id) : await store.createRun(withoutUndefined({ ...begin, id }));
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
  const code = work.say({
    run: kept ? writer.run : null,
    fault,
    ...(committed === undefined ? {} : { committed }),
    durationMs: Math.round(invocation.io.now() - started),
  });
  if (fault === undefined) return code ?? EXIT.done;
  if (work.tellsStop === true || !isAbort(fault)) invocation.report(fault);
  return exitCodeFor(fault);
}
