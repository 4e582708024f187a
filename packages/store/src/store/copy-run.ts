/**
 * Copies a run from one store to another, folder or object storage. What it is made of comes first, `run.json` last: until
 * then there is no run, and a copy that broke off is taken up by the next one.
 */
import { copyFile, rm } from "node:fs/promises";
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { checkpointPath, commitBytes, segmentPath, type Fold } from "./commit-format.ts";
import { listCommits } from "./commit-log.ts";
import { TEMPORARY_PREFIX, type Files } from "./files.ts";
import { SCHEMA } from "./migrations.ts";
import { placeOf } from "./place.ts";
import { checkRunId } from "./run-id.ts";
import { LOCK_FILE } from "./run-lock.ts";
import { readRun, type RunSnapshot } from "./snapshot.ts";
import { verifySegments } from "./verify.ts";

const FILES_AT_ONCE = 4;

export interface CopyRunOptions {
  /** Stores: folders, or addresses like "s3://bucket/runs". */
  readonly from: string;
  readonly to: string;
  readonly run: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface CopyReport {
  readonly run: string;
  /** False when the same run, up to the same commit, was there already. */
  readonly copied: boolean;
  /** Files that were copied now, and the size of the run's segments. */
  readonly files: number;
  readonly bytes: number;
}

/**
 * Copies a run with everything that lies in its folder, a model for example; its checksums are verified before. The source
 * may be read and written meanwhile: the copy is of one moment. A run of the same id that is not the same is refused.
 *
 * @example
 * import { openStore } from "limbeck/store";
 * import { mkdtemp } from "node:fs/promises";
 *
 * const [from, to] = [await mkdtemp("from-"), await mkdtemp("to-")];
 * const store = openStore(from);
 * const writer = await store.createRun({ id: "mine" });
 * await writer.addMetrics(1, { loss: 0.5 });
 * await writer.close();
 * const { copied } = await copyRun({ from, to, run: "mine" });
 * console.log(copied); // true
 */
export async function copyRun(options: CopyRunOptions): Promise<CopyReport> {
  const [from, to] = [placeOf(options.from).files(), placeOf(options.to).files()];
  return await copyBetween(from, to, options);
}

async function copyBetween(
  from: Files,
  to: Files,
  { run, signal, onProgress }: Omit<CopyRunOptions, "from" | "to">,
): Promise<CopyReport> {
  const snapshot = await readRun(from, SCHEMA, checkRunId(run));
  const { fold } = snapshot;
  const segments = fold.parts.flatMap((part) => part.segments);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  if (await isThereAlready(to, snapshot)) return { run, copied: false, files: 0, bytes };
  await to.check?.();
  await verifySegments(from, run, segments, new Set());
  const sizes = new Map(segments.map((segment) => [segmentPath(run, segment.file), segment.bytes]));
  const paths = [
    ...sizes.keys(),
    ...(fold.state === undefined ? [] : [segmentPath(run, fold.state)]),
    ...(await from.all(run)).filter((path) => isBeside(run, path)),
  ];
  let [done, files] = [0, 0];
  onProgress?.(0, paths.length);
  await mapLimit(paths, FILES_AT_ONCE, async (path) => {
    throwIfAborted(signal);
    // Files appear whole, so that one of the right size came with an earlier try.
    const known = sizes.get(path);
    if (known === undefined || (await to.stat(path))?.bytes !== known) {
      await copyOne(from, to, path);
      files += 1;
    }
    done += 1;
    onProgress?.(done, paths.length);
  });
  if (fold.number > 0) await to.putIfAbsent(checkpointPath(run, fold.number), commitBytes({ ...fold, removed: [] }));
  const description = Buffer.from(await from.read(`${run}/run.json`));
  if (!(await to.putIfAbsent(`${run}/run.json`, description))) throw another(to, run);
  return { run, copied: true, files, bytes };
}

/** What lies in a run's folder and is not of the store: models, reports, logs. */
function isBeside(run: string, path: string): boolean {
  const inside = path.slice(run.length + 1);
  // Also in capitals: some file systems take them for the same.
  if (inside.toLowerCase() === LOCK_FILE || /^(run\.json$|(commits|segments)\/)/i.test(inside)) return false;
  return !inside.split("/").some((part) => part.startsWith(TEMPORARY_PREFIX));
}

async function copyOne(from: Files, to: Files, path: string): Promise<void> {
  if ((await from.copies?.fetch(path)) === false) throw gone(from, path);
  const scratch = await to.scratch(path);
  try {
    await copyFile(from.location(path), scratch);
    await to.adopt(scratch, path);
  } finally {
    await rm(scratch, { force: true });
    // Copies of segments serve readers; the rest is read once.
    if (!path.endsWith(".parquet")) await from.copies?.drop(path);
  }
}

/** True for the same run up to the same commit; another run of that id, or what is left of one, is refused. */
async function isThereAlready(to: Files, { file, fold }: RunSnapshot): Promise<boolean> {
  const { id } = file;
  if ((await to.stat(`${id}/run.json`)) === undefined) {
    const { commits, checkpoints } = await listCommits(to, id);
    if (commits.length > 0 || (checkpoints.at(-1) ?? 0) > fold.number) throw another(to, id);
    return false;
  }
  const there = await readRun(to, SCHEMA, id);
  if (there.file.createdAt === file.createdAt && isSamePlace(there.fold, fold)) return true;
  throw another(to, id);
}

function isSamePlace(left: Fold, right: Fold): boolean {
  return left.number === right.number && left.recent.at(-1)?.[1] === right.recent.at(-1)?.[1];
}

function another(to: Files, run: string): EngineError {
  return new EngineError(
    "run-exists",
    `${to.address(run)} holds another run "${run}", an earlier state of it, or what is left of one. Delete it there, then copy again.`,
    { details: { run } },
  );
}

function gone(from: Files, path: string): EngineError {
  return new EngineError("segment-missing", `${from.address(path)} went away while it was copied. Copy again.`);
}
