/** Every form of model beside transformers, by the programs of `research/bench/parity`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolders } from "./support/temporary-folder.ts";
import { NEEDS_TORCH, torchPython, torchThere } from "./support/torch.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = temporaryFolders();

/** The last line that it prints; a program that fails is an error that has all of them. */
async function run(program: string, words: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(program, words, { cwd: root });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

test.skipIf(!torchThere)(
  `random models of every form say and learn here what they do in transformers, there and back (${NEEDS_TORCH})`,
  { timeout: 300_000 },
  async () => {
    const out = await folder();
    await run(torchPython, ["research/bench/parity/make.py", out]);
    const here = await run(process.execPath, ["--import", "tsx", "research/bench/parity/check.ts", out]);
    expect(here).toMatchObject({ models: 13, agree: true });
    const there = await run(torchPython, ["research/bench/parity/verify.py", out]);
    expect(there).toMatchObject({ folders: 16, agree: true });
  },
);
