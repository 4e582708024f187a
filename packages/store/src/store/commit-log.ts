/**
 * The commit log of a run: numbered files, each created exclusively, folded in order to the list of live segments.
 *
 * A number is taken by creating its file, so two writers never share one and nothing is ever overwritten. Numbers have
 * no holes: a writer takes n only when n - 1 exists. A checkpoint holds the fold of all commits up to its number;
 * compaction may then remove those commit files after the grace period.
 */
import { randomBytes } from "node:crypto";
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import {
  applyCommits,
  checkpointPath,
  commitBytes,
  commitPath,
  EMPTY_FOLD,
  parseCheckpoint,
  parseCommit,
  type Commit,
  type Fold,
} from "./commit-format.ts";
import { TEMPORARY_PREFIX, type Files } from "./files.ts";

const LISTING_TRIES = 20;
const READS_AT_ONCE = 16;
/** Numbers that a listing may miss below its highest one: as many as writers may have been at work during it. */
const MOST_UNLISTED = 1_000;

export interface Listing {
  readonly commits: readonly number[];
  readonly checkpoints: readonly number[];
}

export async function listCommits(files: Files, run: string): Promise<Listing> {
  const names = (await files.list(`${run}/commits`)).filter((name) => !name.startsWith(TEMPORARY_PREFIX));
  const numbers = (ending: RegExp): number[] =>
    names
      .filter((name) => ending.test(name))
      .map((name) => Number.parseInt(name, 10))
      .sort((left, right) => left - right);
  return { commits: numbers(/^\d+\.json$/), checkpoints: numbers(/^\d+\.checkpoint\.json$/) };
}

/**
 * Reads the log. A listing is no snapshot: what it misses, or what went away since, is looked for again. `known` is an
 * earlier fold of the same run; only what came after it is read then.
 */
export async function readFold(files: Files, run: string, known?: Fold): Promise<Fold> {
  let missing = "";
  for (let attempt = 0; attempt < LISTING_TRIES; attempt += 1) {
    const { commits, checkpoints } = await listCommits(files, run);
    try {
      const newest = checkpoints.at(-1) ?? 0;
      const useful = attempt === 0 && known !== undefined && known.number > 0 && known.number >= newest;
      if (useful && known.number === commits.at(-1)) return known;
      const base = useful ? known : await readCheckpoint(files, run, checkpoints.at(-1));
      const count = Math.max(0, (commits.at(-1) ?? 0) - base.number);
      if (count > commits.length + MOST_UNLISTED) throw farAhead(files, run, commits.at(-1) ?? 0);
      // Every number up to the newest, listed or not: a listing may show n + 1 and miss n.
      const numbers = Array.from({ length: count }, (_, index) => base.number + 1 + index);
      return applyCommits(base, await mapLimit(numbers, READS_AT_ONCE, (number) => readCommit(files, run, number)));
    } catch (error) {
      // Gone between listing and reading: a newer checkpoint stands in for it, which the next listing shows.
      if (errorCode(error) !== "ENOENT") throw error;
      missing = (error as NodeJS.ErrnoException).path ?? "";
    }
  }
  throw new EngineError(
    "commit-missing",
    `Run "${run}" lacks a commit that later ones build on: ${missing}. Restore the file.`,
    { details: { run, path: missing } },
  );
}

/** A made-up name must not have millions of files looked for. */
function farAhead(files: Files, run: string, number: number): EngineError {
  const path = files.address(commitPath(run, number));
  const message = `${path} has a number far ahead of the commits before it, which cannot be. Remove the file, or set the run aside: limbeck runs set-aside ${run}.`;
  return new EngineError("bad-commit", message, { details: { run, path, number } });
}

async function readCheckpoint(files: Files, run: string, number: number | undefined): Promise<Fold> {
  if (number === undefined) return EMPTY_FOLD;
  const path = checkpointPath(run, number);
  return parseCheckpoint(await files.read(path), files.address(path), number);
}

export async function readCommit(files: Files, run: string, number: number): Promise<Commit> {
  const path = commitPath(run, number);
  return parseCommit(await files.read(path), files.address(path), number);
}

/** 0 before the first. */
export async function highestNumber(files: Files, run: string): Promise<number> {
  const { commits, checkpoints } = await listCommits(files, run);
  return Math.max(0, commits.at(-1) ?? 0, checkpoints.at(-1) ?? 0);
}

/** What a writer commits. */
export type Content = Pick<Commit, "writer" | "holds" | "time" | "add" | "key" | "state">;

/** A commit of which it is unknown whether it is in the log, or may still get there. */
export interface Doubt {
  readonly number: number;
  readonly id: string;
  readonly cause: unknown;
}

/** Takes the next free number. `after` is the highest number known to exist; a wrong one only costs time. */
export async function appendCommit(
  files: Files,
  run: string,
  after: number,
  content: Content,
): Promise<number | Doubt> {
  return await takeNumber(files, run, { number: after + 1, id: newCommitId(), cause: undefined }, content, false);
}

/**
 * Takes up a commit whose fate is unknown. Its number is taken by itself, if it got there or gets there
 * now, or by another commit, and then it can never get there: either way it counts once.
 */
export async function settleCommit(files: Files, run: string, doubt: Doubt, content: Content): Promise<number | Doubt> {
  return await takeNumber(files, run, doubt, content, true);
}

/** The same without committing it where it is not there: takes its number with a commit of nothing. True when it was there. */
export async function wasCommitted(
  files: Files,
  run: string,
  { number, id }: Doubt,
  content: Pick<Content, "writer" | "time">,
): Promise<boolean> {
  const nothing = { ...content, add: [], number, id: newCommitId(), order: number, remove: [] };
  if (!(await createCommit(files, run, nothing))) return (await readCommit(files, run, number)).id === id;
  // The number was free. A checkpoint may have stood for it since, and then that one knows.
  const newest = (await listCommits(files, run)).checkpoints.at(-1);
  if (newest === undefined || newest < number) return false;
  return (await readCheckpoint(files, run, newest)).recent.some(
    ([known, knownId]) => known === number && knownId === id,
  );
}

async function takeNumber(
  files: Files,
  run: string,
  { number: first, id }: Doubt,
  content: Content,
  mayBeThere: boolean,
): Promise<number | Doubt> {
  let isThere = mayBeThere;
  for (let number = first; ; number += 1) {
    const commit = { ...content, number, id, order: number, remove: [] };
    try {
      const created = await createCommit(files, run, commit);
      const other = created || !(isThere || content.holds === true) ? undefined : await readCommit(files, run, number);
      if (!created && !(isThere && other?.id === id)) {
        if (content.holds === true && other?.holds === true && other.writer !== content.writer)
          throw takenOver(run, other);
        isThere = false;
        continue;
      }
    } catch (error) {
      if (errorCode(error) === "run-busy") throw error;
      if (isThere || errorCode(error) === "outcome-unknown") return { number, id, cause: error };
      throw error;
    }
    let newest: number | undefined;
    try {
      newest = await overtakenBy(files, run, number, id);
    } catch (error) {
      return { number, id, cause: error };
    }
    if (newest === undefined) return number;
    isThere = false;
    number = newest;
  }
}

/** Of two writers that hold a run one after the other, the first may still be at work, or a request of it on its way. */
function takenOver(run: string, { writer, number, time }: Commit): EngineError {
  return new EngineError(
    "run-busy",
    `Run "${run}" was taken over by another process (writer ${writer}, commit ${number}, ${time}), so nothing more of this one is stored. Look at what the run holds, and go on with --resume.`,
    { details: { run, writer, number } },
  );
}

function newCommitId(): string {
  return randomBytes(9).toString("base64url");
}

/**
 * Commits a replacement if nothing it removes was removed by anyone else since `after`: it takes the number right
 * behind the last commit it has seen, so that no commit can slip in between unseen. Undefined: someone was faster.
 */
export async function replaceCommit(
  files: Files,
  run: string,
  after: number,
  content: Pick<Commit, "writer" | "time" | "order" | "add" | "remove">,
): Promise<number | undefined> {
  const id = newCommitId();
  const mine = new Set(content.remove);
  for (let number = after + 1; ; number += 1) {
    if (await createCommit(files, run, { ...content, number, id })) {
      return (await overtakenBy(files, run, number, id)) === undefined ? number : undefined;
    }
    const other = await readCommit(files, run, number).catch((error: unknown) => {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (other === undefined || other.remove.some((file) => mine.has(file))) return undefined;
  }
}

/** A failure may come after the file became visible; then the commit stands, and to try again would double it. */
async function createCommit(files: Files, run: string, commit: Omit<Commit, "format">): Promise<boolean> {
  try {
    return await files.putIfAbsent(commitPath(run, commit.number), commitBytes(commit));
  } catch (error) {
    // Where the place cannot be read, the first error stands.
    const found = await readCommit(files, run, commit.number).catch(() => undefined);
    if (found?.id === commit.id) return true;
    throw error;
  }
}

/**
 * A writer that stood still for longer than the grace period may take a number that was used, folded into a checkpoint
 * and removed meanwhile; no reader would ever look at its commit. The checkpoint tells: it remembers which commit had
 * the number. Returns the checkpoint's number then.
 */
async function overtakenBy(files: Files, run: string, number: number, id: string): Promise<number | undefined> {
  const newest = (await listCommits(files, run)).checkpoints.at(-1);
  if (newest === undefined || newest < number) return undefined;
  const checkpoint = await readCheckpoint(files, run, newest);
  return checkpoint.recent.some(([known, knownId]) => known === number && knownId === id) ? undefined : newest;
}
