import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

test("npm run try names no folder: what it trained in is gone", { timeout: 120_000 }, async () => {
  const words = ["--import", "tsx", "scripts/try.ts", "credit", "grpo"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: ROOT });
  expect(stdout).toMatch(/\nOne update: mean reward -?[\d.]+, entropy [\d.]+, [\d.]+ s\. Nothing was kept\.\n$/);
  expect(stdout + stderr).not.toMatch(/limbeck-try-|studio|\/tmp/);
});
