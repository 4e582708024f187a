/** docs/learn/ten-minutes.md with the sources in the place of the packed tarball; `package.system.test.ts` walks the same way with that. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "./support/command-line.ts";
import { limbeck } from "./support/fake-io.ts";
import { walkTheWay } from "./support/ten-minutes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-ten-minutes-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "limbeck-recorder"), { recursive: true });
  for (const name of ["ai", "zod"]) await symlink(join(root, "node_modules", name), join(modules, name));
  // The recorder's package, built from its sources; `recorder-package.test.ts` packs the real one.
  await build({
    entryPoints: [join(root, "packages/recorder/src/index.ts")],
    outfile: join(modules, "limbeck-recorder", "index.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  const manifest = { name: "limbeck-recorder", type: "module", exports: "./index.mjs" };
  await writeFile(join(modules, "limbeck-recorder", "package.json"), JSON.stringify(manifest));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("from an empty folder to a proven skill, delivered, and a green check", { timeout: 240_000 }, async () => {
  await walkTheWay({
    folder,
    program: `${process.execPath} ${COMMAND_LINE}`,
    limbeck: async (words) => {
      const { code, out, err } = await limbeck(words, { cwd: folder });
      expect({ words, code, err: code === 0 ? "" : err }).toEqual({ words, code: 0, err: "" });
      return out;
    },
  });
});
