import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import type { CommandTable, Words } from "./command.ts";
import { commands } from "./index.ts";
import { nativesOf } from "./natives.ts";
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
    ["skills lift --policy bundled", [O]],
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
