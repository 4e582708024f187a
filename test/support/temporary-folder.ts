/** Folders for tests that write files; every one is gone afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Call once in a test file; the result makes a new folder each time. */
export function temporaryFolders(): () => Promise<string> {
  const made: string[] = [];
  afterEach(async () => {
    for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "limbeck-test-"));
    made.push(folder);
    return folder;
  };
}

/** Call at the top of a test file, and the result inside the tests: a folder that `fill` has filled, one for the file or a `fresh` one a test. */
export function filledFolder(fill: (folder: string) => Promise<void>, fresh = false): () => string {
  let folder = "";
  const [before, after] = fresh ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-test-"));
    await fill(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}
