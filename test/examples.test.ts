/** The examples as a reader runs them, from sources; `test/package.test.ts` runs them from the installed package. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolders } from "./support/temporary-folder.ts";

const run = promisify(execFile);
const temporaryFolder = temporaryFolders();
const path = (below: string): string => fileURLToPath(new URL(`../${below}`, import.meta.url));

/** What each says at its end. */
const EXAMPLES = {
  "grpo-loop":
    /^update 1: success 20\.8%, loss -?0\.\d{4}, gradient \d\.\d\d\nheld-out success before .*%, after .*%\n$/,
  "own-method": /^\d+ rows of 8 episodes\nsuccess before \d.*, after \d/,
  "own-reward": /: 4 steps, 0\.250\n[\s\S]*success before \d.*, after \d/,
  "own-world": /^halving solves 1\n[\s\S]*the bundled model before \d.*, after \d/,
};

describe("examples, one small update each", () => {
  test.each(Object.entries(EXAMPLES))("%s", { timeout: 120_000 }, async (name, said) => {
    const cwd = await temporaryFolder();
    const words = ["--import", path("node_modules/tsx/dist/loader.mjs"), path(`examples/${name}.ts`), "--tiny"];
    const env = { ...process.env, TSX_TSCONFIG_PATH: path("tsconfig.json") };
    const { stdout } = await run(process.execPath, words, { cwd, env });
    expect(stdout).toMatch(said);
  });
});
