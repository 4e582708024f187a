/** Native parts that npm has left out, or that do not load: told before any work, by the real command line. */
import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cloneProgram, placeParts, runIn, type PartState } from "./support/clone-without.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const newFolder = temporaryFolders();
const platform = `${process.platform}-${process.arch}`;
const CLI = join("packages", "limbeck", "dist", "cli", "bin.js");
const { peerDependencies } = JSON.parse(
  readFileSync(new URL("../packages/limbeck/package.json", import.meta.url), "utf8"),
) as Readonly<Record<"peerDependencies", Readonly<Record<string, string>>>>;
// All of DuckDB's packages have one version.
const DUCKDB = `@duckdb/node-bindings-${platform}@${peerDependencies["@duckdb/node-api"]}`;
const ONNX_RUNTIME = `onnxruntime-node@${peerDependencies["onnxruntime-node"]}`;
const SLOW = 240_000;

/** Prints what loading each part says; the doors that library users come through. */
const ASK = `
import { loadDuckDB } from "./packages/store/dist/store/duckdb.js";
import { loadOnnxRuntime } from "./packages/policy/dist/graph/runtime.js";
for (const load of [loadDuckDB, loadOnnxRuntime]) {
  const said = await load().then(() => ({ code: "loaded" }), ({ code, message, details }) => ({ code, message, details }));
  process.stdout.write(JSON.stringify(said) + "\\n");
}
`;

interface Said {
  readonly code: string;
  readonly message: string;
  readonly details: { readonly commands: readonly string[] };
}

interface Parts<T> {
  readonly duckdb: T;
  readonly onnxruntime: T;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-native-"));
  await cloneProgram(folder, "all");
}, SLOW);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(parts: Partial<Parts<PartState>>, place = folder): Promise<Parts<Said>> {
  await placeParts(place, parts);
  await writeFile(join(place, "ask.mjs"), ASK);
  const { out, err } = await runIn(place, ["ask.mjs"]);
  expect(err).toBe("");
  const [duckdb, onnxruntime] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Said);
  return { duckdb: duckdb as Said, onnxruntime: onnxruntime as Said };
}

describe("the command line", () => {
  test(
    "npm start ends before it begins and names the packages and the commands; what needs neither works",
    async () => {
      await placeParts(folder, { duckdb: "renamed", onnxruntime: "renamed" });
      const { code, out, err } = await runIn(folder, [CLI, "demo"]);
      expect([code, out]).toEqual([1, ""]);
      const text = err.replace(/\s+/g, " ");
      expect(text).toContain(
        `DuckDB's native part for ${platform} is missing: the package ${DUCKDB} is installed without its file duckdb.node.`,
      );
      expect(text).toContain(`node_modules/@duckdb/node-bindings-${platform}`);
      expect(text).toContain(`npm install --no-save ${DUCKDB}`);
      expect(text).toContain("npm says nothing of it: an optional package that it leaves out");
      expect(text).toContain("ONNX Runtime's native part");
      expect(text).toContain(`npm install --no-save --ignore-scripts ${ONNX_RUNTIME}`);
      expect(text).toContain("npm ci --include=optional");
      // Nothing is installed one by one here.
      expect(await runIn(folder, [CLI, "demo", "--yes"])).toEqual({ code, out, err });
      const others = [["runs"], ["train", "--settings"]];
      const ended = others.map(async (words) => [words, (await runIn(folder, [CLI, ...words])).code]);
      expect(await Promise.all(ended)).toEqual(others.map((words) => [words, 0]));
    },
    SLOW,
  );

  test(
    "doctor: without ONNX Runtime all is not well, and what does not work is said",
    async () => {
      await placeParts(folder, { onnxruntime: "renamed" });
      const { code, out } = await runIn(folder, [CLI, "doctor", "--json"]);
      expect(code).toBe(1);
      const checks = out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const found = (name: string) => checks.find(({ check }) => check === name);
      expect(found("DuckDB")).toMatchObject({ state: "ok", affects: null });
      expect(found("ONNX")).toMatchObject({
        state: "broken",
        required: true,
        value: expect.stringContaining("ONNX Runtime's native part") as string,
        hint: expect.stringContaining("npm ci --include=optional") as string,
        affects: expect.stringContaining("train, arena") as string,
      });
    },
    SLOW,
  );
});

test("a package that npm left out: its version comes from who asks for it", { timeout: SLOW }, async () => {
  const { duckdb, onnxruntime } = await ask({ duckdb: "absent", onnxruntime: "absent" });
  expect(duckdb).toMatchObject({
    code: "native-part-missing",
    details: { commands: [`npm install --no-save ${DUCKDB}`, "npm ci --include=optional"] },
  });
  expect(duckdb.message).toContain(
    `the package ${DUCKDB} is not installed.\nnpm says nothing of it: an optional package`,
  );
  expect(onnxruntime.message).toContain(`the package ${ONNX_RUNTIME} is not installed.`);
});

test("in a project whose dependency it is, the project's lock is made again", { timeout: SLOW }, async () => {
  const project = await realpath(await newFolder());
  await writeFile(join(project, "package.json"), "{}");
  const place = join(project, "node_modules", "limbeck");
  await cloneProgram(place, "loaders");
  const { duckdb, onnxruntime } = await ask({ duckdb: "absent" }, place);
  expect(onnxruntime.code).toBe("loaded");
  expect(duckdb.message).toContain(`To mend it, in ${project}:\n`);
  expect(duckdb.details.commands[1]).toMatch(/node_modules.*package-lock\.json.* && npm install --include=optional$/);
});

test("a file that is no library: the system's own reason", { timeout: SLOW }, async () => {
  const { duckdb, onnxruntime } = await ask({ duckdb: "garbled", onnxruntime: "garbled" });
  expect(duckdb.message).toMatch(/\(duckdb\.node of @duckdb\S+\) does not load: .*duckdb\.node/);
  expect(onnxruntime.message).toMatch(/does not load: .*onnxruntime_binding\.node/);
});

test(
  "a platform for which there is none: those for which there is one, and no command",
  { timeout: SLOW },
  async () => {
    const { duckdb, onnxruntime } = await ask({ duckdb: "elsewhere", onnxruntime: "elsewhere" });
    expect(duckdb.message).toContain(`DuckDB has no native part for ${platform}; `);
    expect(
      [duckdb.message, onnxruntime.message].map((one) => one.includes("; there is one for plan9-mips.\n")),
    ).toEqual([true, true]);
    expect(duckdb.details.commands).toEqual([]);
  },
);
