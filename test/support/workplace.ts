/** A folder in which the command line runs; it is gone afterwards. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { limbeck, type FakeOptions, type Ran } from "./fake-io.ts";
import { writeTinyModel } from "./tiny-folder.ts";

export interface Workplace {
  readonly folder: () => string;
  readonly run: (words: readonly string[], options?: FakeOptions) => Promise<Ran>;
}

export interface WorkplaceOptions {
  /** Name of a tiny model in it. Default: none. */
  readonly model?: string;
  /** Each test has a folder of its own. Default: the tests of a file share one. */
  readonly fresh?: boolean;
}

/** Call at the top of a test file, and the results inside the tests. */
export function workplace({ model, fresh = false }: WorkplaceOptions = {}): Workplace {
  let folder = "";
  const [before, after] = fresh ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-workplace-"));
    if (model !== undefined) await writeTinyModel(join(folder, model), 1, 1_024);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  return { folder: () => folder, run: (words, options = {}) => limbeck(words, { cwd: folder, ...options }) };
}
