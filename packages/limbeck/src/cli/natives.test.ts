import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { OWN_MANIFEST } from "limbeck-base/base/own-place";
import type { CommandTable, Invocation, Words } from "./command.ts";
import { commands } from "./index.ts";
import { nativesOf, needNatives, PART_PACKAGES } from "./natives.ts";
import { parseWords } from "./parse.ts";

const newFolder = temporaryFolders();
const [D, O] = ["duckdb", "onnxruntime"];

function needed(cwd: string, line: string): readonly string[] {
  const table: CommandTable = commands;
  const { name = "", positionals, values } = parseWords(line.split(" "), table);
  const words = {
    io: { cwd },
    positionals,
    text: (option: string) => values.get(option)?.at(-1),
    texts: (option: string) => values.get(option) ?? [],
  } as unknown as Words;
  const command = table[name];
  return command === undefined ? ["no such command"] : nativesOf(command, words);
}

test("a command line asks for the native parts that it will use, and for no other", async () => {
  const cwd = await newFolder();
  await mkdir(join(cwd, "model"));
  await writeFile(join(cwd, "model", "config.json"), "{}");
  for (const [line, parts] of [
    ["demo", [D, O]],
    ["train", [D, O]],
    ["train --trainer http://127.0.0.1:4143", [D]],
    ["train --settings", []],
    ["arena", [D, O]],
    ["arena --dry-run", []],
    ["arena --resume x --report-only", []],
    ["studio", []],
    ["studio --redis redis://127.0.0.1", ["fleet"]],
    ["fleet", ["fleet"]],
    ["mcp", ["mcp"]],
    ["serve-env --env shop", ["openenv"]],
    ["conformance openenv", ["openenv"]],
    ["conformance tinker", []],
    ["report x", []],
    ["show x", []],
    ["sql x", [D]],
    ["traces", []],
    ["export --format atif", []],
    ["export --format atif --where success", [D]],
    ["export --format parquet", [D]],
    ["compact", [D]],
    ["feedback x", []],
    ["proxy", []],
    ["eval --run x", [D]],
    ["eval --env shop --policy expert", []],
    ["eval --env shop --policy expert --against bundled", [O]],
    ["eval --env shop --model model", [O]],
    ["rollout --env shop --policy expert", []],
    ["rollout --env shop --policy chat", []],
    ["rollout --env shop --policy model", [O]],
    ["rollout --env shop --policy bundled", [O]],
    ["rollout --env shop --policy bundled --fleet redis://127.0.0.1", ["fleet"]],
    ["search --env shop --policy bundled", [O]],
    ["play --env shop", []],
    ["play --env shop --search mcts --policy bundled", [O]],
    ["skills extract", []],
    ["lift --policy bundled", [O]],
    ["skills list", []],
    ["sft", [O]],
    ["draft-heads --model m --env shop", [O]],
    ["draft-heads --model m --from run", [D, O]],
    ["sample", [O]],
    ["score", [O]],
    ["trainer", [O]],
    ["worker", [O, "fleet"]],
    ["runs", []],
    ["doctor", []],
    ["explain opid", []],
    ["import x", []],
  ] as const)
    expect([line, needed(cwd, line)]).toEqual([line, parts]);
});

/** A project in which limbeck is installed, and none of its optional packages. */
async function lightProject(): Promise<{ readonly folder: string; readonly manifest: string }> {
  const folder = await newFolder();
  const manifest = join(folder, "node_modules", "limbeck", "package.json");
  await mkdir(join(folder, "node_modules", "limbeck"), { recursive: true });
  await writeFile(join(folder, "package.json"), "{}");
  await writeFile(manifest, await readFile(OWN_MANIFEST, "utf8"));
  return { folder, manifest };
}

test("what is not installed is one error with one command; at a terminal it is asked first", async () => {
  const { folder, manifest } = await lightProject();
  const { peerDependencies: peers } = JSON.parse(await readFile(manifest, "utf8")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const engines = `@duckdb/node-api@${peers["@duckdb/node-api"]} onnxruntime-node@${peers["onnxruntime-node"]}`;
  const asked: string[] = [];
  const frame = (answer?: string): Invocation => {
    const ask = (question: string) => Promise.resolve((asked.push(question), answer));
    return { io: { ask }, text: () => undefined } as unknown as Invocation;
  };
  const error = {
    code: "native-part-missing",
    message:
      `@duckdb/node-api and onnxruntime-node are not installed here; a first installation leaves them out. In ${folder}:\n` +
      `  npm install --ignore-scripts ${engines}\nOr type the same with --yes: it installs about 332 MB and goes on.`,
    details: {
      parts: [D, O],
      packages: ["@duckdb/node-api", "onnxruntime-node"],
      command: `npm install --ignore-scripts ${engines}`,
    },
  };
  for (const answer of [undefined, "n", ""]) {
    await expect(needNatives(["duckdb", "onnxruntime"], frame(answer), manifest)).rejects.toMatchObject(error);
  }
  expect(asked[0]).toBe(error.message.replace(/Or type.*/, "Install about 332 MB now? [y/N] "));
  await expect(needNatives(["openenv"], frame(), manifest)).rejects.toMatchObject({
    code: "package-missing",
    message: expect.stringContaining(
      `"ws@${peers["ws"]}"\nOr type the same with --yes: it installs about 0.2 MB`,
    ) as string,
  });
});

test("install.md names the packages of each part and their size", async () => {
  const page = await readFile(new URL("../../../../docs/learn/install.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.includes("`npm install --ignore-scripts"));
  for (const [name, { packages, megabytes }] of Object.entries(PART_PACKAGES)) {
    const row = rows.find((line) => packages.every((one) => line.includes(`${one}@`)));
    expect([name, row?.endsWith(`| ${megabytes} MB |`)]).toEqual([name, true]);
  }
});

test("commands that may need a part take --yes, and no other", async () => {
  const refused = async (...words: string[]): Promise<boolean> =>
    (await limbeck([...words, "--yes", "--help"])).err.includes('No option "--yes"');
  const lines = ["train", "demo", "sql", "mcp", "eval", "reward", "catalog", "doctor", "envs"];
  const found: string[] = [];
  for (const line of lines) if (await refused(line)) found.push(line);
  expect(found).toEqual(["catalog", "doctor", "envs"]);
  // Of a group, by its member.
  expect((await limbeck(["skills", "list", "--yes"])).err).toContain('No option "--yes" of "limbeck skills list"');
  const empty = ["--store", join(await newFolder(), "none")];
  expect((await limbeck(["skills", "extract", "--yes", "--run", "none", ...empty])).err).toContain("none");
});
