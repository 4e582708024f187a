/** What the tests of the store share: a folder that goes away afterwards, and reading everything. */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** A fresh folder for each test of the file; call at the top of the file, and the result inside the tests. */
export function temporaryFolder(): () => string {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-store-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}

/** A store that is filled once for the file; call at the top of the file, and the result to copy it into a folder. */
export function filledOnce(fill: (root: string) => Promise<void>): (folder: string) => Promise<void> {
  let filled = "";
  beforeAll(async () => {
    filled = await mkdtemp(join(tmpdir(), "limbeck-filled-"));
    await fill(filled);
  });
  afterAll(() => rm(filled, { recursive: true, force: true }));
  return (folder) => cp(filled, folder, { recursive: true });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
