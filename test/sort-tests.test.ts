import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sortTests } from "./support/sort-tests.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const newFolder = temporaryFolders();

async function sorted(files: Readonly<Record<string, string>>) {
  const root = await newFolder();
  for (const folder of ["packages/limbeck", "research", "scripts", "test"])
    await mkdir(join(root, folder), { recursive: true });
  const doors = { "./policy": "./src/doors/policy.ts", "./env": "./src/doors/env.ts" };
  await writeFile(join(root, "packages/limbeck/package.json"), JSON.stringify({ exports: doors }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return sortTests(root);
}

test("whatever can reach the runtime may run a model: through other files, types excepted", async () => {
  const { models, plain } = await sorted({
    "packages/policy/src/graph/program.ts": "",
    "packages/policy/src/graph/index.ts": 'export {\n  compile,\n  type Program,\n} from "./program.ts";',
    "packages/policy/src/policy/open.ts": 'const graph = await import("../graph/index.ts");',
    "packages/policy/src/policy/far.test.ts": 'import { open } from "./open.ts";',
    "packages/policy/src/policy/near.test.ts": 'import { compile } from "../graph/program.ts";',
    "packages/policy/src/policy/types.test.ts": 'import type { Program } from "../graph/program.ts";',
    "test/support/types.ts": 'import type {\n  Program,\n} from "../../packages/policy/src/graph/program.ts";',
    "test/house.test.ts": 'import { x } from "./support/types.ts";',
  });
  expect(models.sort()).toEqual(["packages/policy/src/policy/far.test.ts", "packages/policy/src/policy/near.test.ts"]);
  expect(plain.sort()).toEqual(["packages/policy/src/policy/types.test.ts", "test/house.test.ts"]);
});

test("imports by the package's name lead on; those in the examples of comments do not", async () => {
  const { models, plain } = await sorted({
    "packages/policy/src/graph/program.ts": "",
    "packages/limbeck/src/doors/policy.ts": 'export { compile } from "limbeck-policy/graph/program";',
    "packages/limbeck/src/doors/env.ts":
      '/**\n * import { open } from "limbeck/policy";\n */\nexport const worlds = {};',
    "research/curves.ts": 'import {\n  open,\n  type Policy,\n} from "limbeck/policy";',
    "research/curves.test.ts": 'import { draw } from "./curves.ts";',
    "research/types.test.ts": 'import type { Policy } from "limbeck/policy";',
    "research/worlds.test.ts": 'import { worlds } from "limbeck/env";',
  });
  expect(models).toEqual(["research/curves.test.ts"]);
  expect(plain.sort()).toEqual(["research/types.test.ts", "research/worlds.test.ts"]);
});

test.each([
  'vi.mock("node:fs/promises");',
  'process.chdir("..");',
  'process.env["HOME"] = "/";',
  "process.env.HOME = home;",
  "globalThis.fetch = () => undefined;",
  "Object.assign(globalThis, { quiet: true });",
  "const bytes = process.memoryUsage().heapUsed;",
])("a file that says %s is alone", async (text) => {
  const { alone, models, plain } = await sorted({ "packages/core/src/a.test.ts": text });
  expect({ alone, models, plain }).toEqual({ alone: ["packages/core/src/a.test.ts"], models: [], plain: [] });
});

test.each(['if (process.env["HOME"] === "/") run();', "const spy = vi.fn();", "spawn(program, { env: process.env });"])(
  "a file that says %s is not",
  async (text) =>
    expect((await sorted({ "packages/core/src/a.test.ts": text })).plain).toEqual(["packages/core/src/a.test.ts"]),
);

test("the name says the tier, whatever the file does", async () => {
  const { slice, system, systemAlone, nightly, alone } = await sorted({
    "packages/core/src/a.system.test.ts": "",
    "packages/core/src/b.system.test.ts": 'process.chdir("..");',
    "packages/core/src/a.slice.test.ts": "",
    "test/a.nightly.test.ts": "",
    "test/system.test.ts": 'process.chdir("..");',
  });
  expect({ slice, system, systemAlone, nightly, alone }).toEqual({
    slice: ["packages/core/src/a.slice.test.ts"],
    system: ["packages/core/src/a.system.test.ts"],
    systemAlone: ["packages/core/src/b.system.test.ts"],
    nightly: ["test/a.nightly.test.ts"],
    alone: ["test/system.test.ts"],
  });
});

test("the slice is thin: at most five files", () => {
  const { slice } = sortTests(join(import.meta.dirname, ".."));
  expect(slice.length).toBeGreaterThan(0);
  expect(slice.length).toBeLessThanOrEqual(5);
});
