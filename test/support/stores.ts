/** What the tests of the store share: a folder that goes away afterwards, and reading everything. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A fresh folder for each test of the file; call at the top of the file, and the result inside the tests. */
export function temporaryFolder(): () => string {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-store-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
