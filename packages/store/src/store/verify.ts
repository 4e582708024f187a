/**
 * Whether segments still hold what was written: a flipped bit in a number is a number. Segments never change, so that each is
 * read for this once while a store is open.
 */
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError } from "limbeck-base/base/errors";
import { segmentPath, type Segment } from "./commit-format.ts";
import type { Files } from "./files.ts";

const FILES_AT_ONCE = 4;

/** Addresses of segments that were found to be right. */
export type Verified = Set<string>;

/** What is missing is not judged here: it may have been compacted meanwhile. */
export async function verifySegments(
  files: Files,
  run: string,
  segments: readonly Segment[],
  verified: Verified,
): Promise<void> {
  await mapLimit(segments, FILES_AT_ONCE, async ({ file, sha256 }) => {
    const path = segmentPath(run, file);
    const location = files.address(path);
    // A copy on this machine may be gone since, to make room for others.
    if (verified.has(location) && (await files.copies?.has(path)) !== false) return;
    if (sha256 === undefined) {
      if (files.copies === undefined) await files.stat(path);
      await files.copies?.fetch(path);
      return;
    }
    const found = await digestOfSegment(files, path, sha256);
    if (found === sha256) verified.add(location);
    if (found === undefined || found === sha256) return;
    throw new EngineError(
      "segment-damaged",
      `${location} is damaged: its checksum is not the one that its commit names. Restore the file, or delete run "${run}".`,
      { details: { run, path: location } },
    );
  });
}

/** A copy that is damaged says nothing of the file itself, which is then taken again. */
async function digestOfSegment(files: Files, path: string, wanted: string): Promise<string | undefined> {
  const found = await files.digest(path);
  if (found === undefined || found === wanted || files.copies === undefined) return found;
  await files.copies.drop(path);
  return await files.digest(path);
}
