/** The examples as a reader runs them, from sources; `test/package.nightly.test.ts` runs them from the installed package. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
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

/** One process for all: to load the engine from sources takes longer than most of them. */
test("examples, one small update each", { timeout: 240_000 }, async () => {
  const names = Object.keys(EXAMPLES);
  const cwd = await temporaryFolder();
  const all = names.map((name) => {
    const file = JSON.stringify(pathToFileURL(path(`examples/${name}.ts`)).href);
    return `await import(${file});\nprocess.stdout.write("\\0");\n`;
  });
  await writeFile(join(cwd, "all.mjs"), all.join(""));
  const words = ["--import", path("node_modules/tsx/dist/loader.mjs"), "all.mjs", "--tiny"];
  const env = { ...process.env, TSX_TSCONFIG_PATH: path("tsconfig.json") };
  const { stdout } = await run(process.execPath, words, { cwd, env });
  const said = stdout.split("\0");
  expect(Object.fromEntries(names.map((name, at) => [name, said[at]]))).toEqual(
    Object.fromEntries(Object.entries(EXAMPLES).map(([name, wanted]) => [name, expect.stringMatching(wanted)])),
  );
});
