/**
 * Whether segments still hold what was written: a flipped bit in a number is a number. Segments never change, so that each is
 * read for this once while a store is open.
 */
import { mapLimit } from "../base/concurrency.ts";
import { EngineError } from "../base/errors.ts";
import { segmentPath, type Segment } from "./commit-format.ts";
import type { Files } from "./files.ts";

const FILES_AT_ONCE = 4;

/** Locations that were found to be right. */
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
    const location = files.location(path);
    if (sha256 === undefined || verified.has(location)) return;
    const found = await files.digest(path);
    if (found === sha256) verified.add(location);
    if (found === undefined || found === sha256) return;
    throw new EngineError(
      "segment-damaged",
      `${location} is damaged: its checksum is not the one that its commit names. Restore the file, or delete run "${run}".`,
      { details: { run, path: location } },
    );
  });
}
