import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("in a bundle, which has none of the package's files, the way out is to keep the package out of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-bundle-"));
  const outfile = join(folder, "app.mjs");
  const contents = `import { worldTable } from "./world-data.ts";
    try { worldTable("tools.json", {})(); } catch (error) { process.stdout.write(error.message); }`;
  const stdin = { contents, resolveDir: import.meta.dirname };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
  await rm(folder, { recursive: true });
  expect(stdout).toContain("data/worlds/tools.json cannot be used: ENOENT");
  expect(stdout).toContain("keep it out of the bundle (esbuild: --external:limbeck) and install it beside it");
  expect(stdout).not.toContain("again");
});
