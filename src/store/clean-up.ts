/**
 * What compaction tidies: replaced segments after the grace period, commit files that a checkpoint stands for, and
 * what crashed writers left behind.
 */
import { checkpointPath, commitBytes, commitPath, segmentPath, type Fold } from "./commit-format.ts";
import { listCommits, readFold } from "./commit-log.ts";
import { TEMPORARY_PREFIX, type Files } from "./files.ts";
import { writerOf } from "./run-lock.ts";

/** A checkpoint is written when this many commits have come since the last one. */
const CHECKPOINT_EVERY = 16;
/**
 * Files that no commit names may belong to a writer that is just about to commit them. Writers do not commit segments
 * older than half of this; those of the writer that holds the run are left alone.
 */
const ORPHAN_AGE_MS = 60 * 60_000;

/** Returns how many files it removed. */
export async function cleanUp(files: Files, run: string, graceMs: number, now: () => Date): Promise<number> {
  // Before the log: who lets go of the run after this look has its segments there.
  const writer = await writerOf(files, run);
  const fold = await readFold(files, run);
  const deadline = now().getTime() - graceMs;
  const replaced = await removeReplaced(files, run, fold, deadline);
  const orphans = await removeOrphans(
    files,
    run,
    // A large commit is begun long before it is done.
    { fold, isBegun: (name) => writer !== undefined && name.includes(`-${writer}-`) },
    Math.min(deadline, now().getTime() - ORPHAN_AGE_MS),
  );
  await writeCheckpoint(files, run, fold);
  return replaced + orphans + (await removeCommits(files, run, deadline));
}

async function removeReplaced(files: Files, run: string, fold: Fold, deadline: number): Promise<number> {
  const present = new Set(await files.list(`${run}/segments`));
  const old = fold.removed.filter(({ file, at }) => present.has(file) && Date.parse(at) <= deadline);
  for (const { file } of old) await files.remove(segmentPath(run, file));
  return old.length;
}

async function removeOrphans(
  files: Files,
  run: string,
  { fold, isBegun }: { readonly fold: Fold; readonly isBegun: (name: string) => boolean },
  deadline: number,
): Promise<number> {
  const known = new Set(fold.removed.map(({ file }) => file));
  if (fold.state !== undefined) known.add(fold.state);
  for (const part of fold.parts) for (const { file } of part.segments) known.add(file);
  const unknown = (await files.list(`${run}/segments`)).filter((name) => !known.has(name) && !isBegun(name));
  const temporary = (await files.list(`${run}/commits`)).filter((name) => name.startsWith(TEMPORARY_PREFIX));
  const paths = [
    ...unknown.map((name) => segmentPath(run, name)),
    ...temporary.map((name) => `${run}/commits/${name}`),
  ];
  let removed = 0;
  for (const path of paths) {
    const found = await files.stat(path);
    if (found === undefined || found.modifiedMs > deadline) continue;
    await files.remove(path);
    removed += 1;
  }
  return removed;
}

async function writeCheckpoint(files: Files, run: string, fold: Fold): Promise<void> {
  const newest = (await listCommits(files, run)).checkpoints.at(-1) ?? 0;
  if (fold.number - newest < CHECKPOINT_EVERY) return;
  // Only what is still there has to be remembered for deletion.
  const present = new Set(await files.list(`${run}/segments`));
  const removed = fold.removed.filter(({ file }) => present.has(file));
  await files.putIfAbsent(checkpointPath(run, fold.number), commitBytes({ ...fold, removed }));
}

/** Commits and checkpoints that a checkpoint older than the deadline stands for. */
async function removeCommits(files: Files, run: string, deadline: number): Promise<number> {
  const { commits, checkpoints } = await listCommits(files, run);
  let covered = 0;
  for (const number of checkpoints) {
    const found = await files.stat(checkpointPath(run, number));
    if (found !== undefined && found.modifiedMs <= deadline) covered = number;
  }
  const paths = [
    ...commits.filter((number) => number <= covered).map((number) => commitPath(run, number)),
    ...checkpoints.filter((number) => number < covered).map((number) => checkpointPath(run, number)),
  ];
  for (const path of paths) await files.remove(path);
  return paths.length;
}
