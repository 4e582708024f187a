/**
 * The golden record: what the command line says, as text in `test/golden`. Whatever differs from run to run is masked there.
 * `npx vitest run test/golden.test.ts -u` writes it anew.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { packageVersion } from "../../packages/base/src/base/package-info.ts";
import type { CommandTable, Words } from "../../packages/limbeck/src/cli/command.ts";
import { commands } from "../../packages/limbeck/src/cli/index.ts";
import { nativesOf } from "../../packages/limbeck/src/cli/natives.ts";
import { parseWords } from "../../packages/limbeck/src/cli/parse.ts";
import { credits } from "../../packages/core/src/credit/registry.ts";
import { limbeck, type FakeOptions } from "./fake-io.ts";
import { GOLDEN_LINES, type GoldenGroup } from "./golden-lines.ts";
import { sampleStore } from "./sample-store.ts";
import { writeTinyModel } from "./tiny-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
/** Above it a text stands there by its beginning and its hash. */
const MOST = 3_000;

/** Compares with a file of `test/golden`. */
export async function expectGolden(file: string, blocks: readonly string[]): Promise<void> {
  await expect(`${blocks.join("\n")}\n`).toMatchFileSnapshot(`${ROOT}/test/golden/${file}.txt`);
}

export function hashed(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Without what depends on the machine and the moment: folders, times, versions, ports. */
export function masked(text: string, folders: Readonly<Record<string, string>> = {}): string {
  const paths = { ...folders, [ROOT]: "ROOT", [process.execPath]: "NODE", [tmpdir()]: "TMP", [homedir()]: "HOME" };
  let result = text;
  for (const [path, name] of Object.entries(paths)) if (path.length > 2) result = result.replaceAll(path, name);
  return (
    result
      .replaceAll(packageVersion(), "VERSION")
      .replaceAll(process.version, "NODE-VERSION")
      .replaceAll(/\d{4}-\d{2}-\d{2}[T ]\d{2}[:-]?\d{2}(?:[:-]?\d{2})?(?:[.,-]\d+)?Z?/g, "DATE")
      .replaceAll(new Date().toISOString().slice(0, 10), "TODAY")
      .replaceAll(/\b\d{8}-\d{6}-[\da-f]{6}\b/g, "RUN")
      .replaceAll(/limbeck-(?:test|cli)-\w+/g, "FOLDER")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      .replaceAll(
        /"(\w*(?:[sS]econds\w*|[bB]ytes\w*|Ms|ms|durationMs|jobs|port|pid|processes|perSecond|PerSecond))":[\d.e+-]+/g,
        '"$1":0',
      )
      .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s|min|B|kB|MB)\b/g, "N s")
      .replaceAll(/\b\d+ side by side\b/g, "N side by side")
      // A run is running until nothing was written for a while.
      .replaceAll(/(?<="status":")(?:running|stored)|\b(?:running|stored)(?= {2,}none judged)/g, "running or stored")
      .replaceAll(/^seconds per episode .*$/gm, "seconds per episode  S")
      .replaceAll(/\blimbeck_[\w-]{32}|(?<=token(?:=|":"))[\w-]{32}(?![\w-])/g, "TOKEN")
      // Where a method lives may change.
      .replaceAll(/\b(?:src|test|research|scripts)\/[\w./-]+\.ts\b/g, "FILE.ts")
      // Another processor has other last digits.
      .replaceAll(/\d+\.\d{7,}(?:e-\d+)?/g, (number) => Number(number).toPrecision(5))
  );
}

/** A text that is too long by its beginning and its hash. */
function short(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)}\n… ${text.length} characters, ${hashed(text)}\n`;
}

/** What a command line came to: what was typed, exit code, standard output, standard error. */
export function block(words: readonly string[], code: number, out: string, err: string, most = MOST): string {
  const told = [out, err].map((text, at) => (text === "" ? "" : `${["", "stderr:\n"][at]}${short(text, most)}`));
  return `$ ${words.map((word) => (/^[\w=.,:/@{}*-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}\n[${code}]\n${told.join("")}`;
}

/** Runs command lines, one after the other, each as a person reads it and with `--json`. */
export async function played(lines: readonly (readonly string[])[], options: FakeOptions = {}): Promise<string[]> {
  const blocks: string[] = [];
  for (const line of lines) {
    const folders = options.cwd === undefined ? {} : { [options.cwd]: "CWD" };
    const said = async (n: number, words: readonly string[]): Promise<string> => {
      const all = words.map((word) => word.replace("{n}", String(n)));
      const { code, out, err } = await limbeck(all, options);
      return block(
        all.map((word) => masked(word, folders)),
        code,
        masked(out, folders),
        masked(err, folders),
      );
    };
    blocks.push(await said(1, line), await said(2, [...line.slice(0, 1), "--json", ...line.slice(1)]));
  }
  return blocks;
}

/** Native parts that a command line asks for before it runs. */
export function nativesNeeded(cwd: string, line: readonly string[]): readonly string[] {
  const table: CommandTable = commands;
  const { name = "", positionals, values } = parseWords(line, table);
  const words = {
    io: { cwd, env: {} },
    positionals,
    text: (option: string) => values.get(option)?.at(-1),
    texts: (option: string) => values.get(option) ?? [],
  } as unknown as Words;
  const command = table[name];
  return command === undefined ? ["no such command"] : nativesOf(command, words);
}

const PLANTED = "---\nname: avoid\ndescription: d\nlevel: general\n---\nWait.\n";

/** Runs a group of command lines in a new folder that has what they read. */
export async function answers(group: GoldenGroup, cwd: string): Promise<void> {
  const words: Readonly<Record<string, string>> = {
    SESSIONS: join(ROOT, "test/samples/sessions/claude-code"),
    COMMANDS: "commands.txt",
    BATCH: "batch.json",
    ROWS: "rows.jsonl",
    START: "./start",
    QUERY: "select id, success, reward, task from trajectories order by id",
  };
  const files = {
    "commands.txt": "look\ninventory\nfly away\n",
    "batch.json": JSON.stringify(credits.gae.example.batch),
    "rows.jsonl": '{"text": "yes", "messages": [{"role": "assistant", "content": "yes"}]}\n',
    "broken.jsonl": '{"messages": []}\nnonsense\n',
    "PLANTED-1/avoid/SKILL.md": PLANTED,
    "PLANTED-2/avoid/SKILL.md": PLANTED,
  };
  for (const n of [1, 2]) await mkdir(join(cwd, `PLANTED-${n}/avoid`), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(cwd, file), text);
  if (group === "models" || group === "acts") await writeTinyModel(join(cwd, "start"), 1, 1_024);
  const store = group === "store" ? await sampleStore() : undefined;
  const lines = GOLDEN_LINES[group].map((line) => line.split(" ").map((word) => words[word] ?? word));
  const env = { LIMBECK_STORE: store?.root ?? "runs", HOME: cwd, USER: "ann" };
  await expectGolden(`says-${group}`, await played(lines, { cwd, env }));
  await store?.remove();
}
