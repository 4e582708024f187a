/** A folder in which the command line runs; it is gone afterwards. */
import { join } from "node:path";
import { limbeck, type FakeOptions, type Ran } from "./fake-io.ts";
import { filledFolder } from "./temporary-folder.ts";
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
  const folder = filledFolder(async (made) => {
    if (model !== undefined) await writeTinyModel(join(made, model), 1, 1_024);
  }, fresh);
  return { folder, run: (words, options = {}) => limbeck(words, { cwd: folder(), ...options }) };
}
