/** Every command line of every page is one that exists; `npm run docs:snippets` also runs them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { pageCommands } from "../scripts/docs/page-commands.ts";
import { otherProgram, whyNotRun } from "../scripts/docs/not-run.ts";
import type { CommandTable } from "../packages/limbeck/src/cli/command.ts";
import { withModules } from "../packages/limbeck/src/cli/given-parts.ts";
import { commands } from "../packages/limbeck/src/cli/index.ts";
import { checkWords, parseWords } from "../packages/limbeck/src/cli/parse.ts";
import { readersPages } from "./support/doc-examples.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const lines = readersPages(root).flatMap((page) => pageCommands(root, page));
const table: CommandTable = commands;
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

test("commands of ours are accepted, with their options and choices", { timeout: 120_000 }, async () => {
  const refused: string[] = [];
  for (const { page, line, words } of lines) {
    if (words === undefined || line.includes("…")) continue;
    try {
      const parsed = parseWords(words, table);
      const command = parsed.name === undefined ? undefined : table[parsed.name];
      if (parsed.name !== undefined && command !== undefined)
        await checkWords(parsed.name, command, withModules(parsed, command));
      else if (!["--help", "--version", undefined].includes(words[0])) refused.push(`${page}: ${line}`);
    } catch (error) {
      refused.push(`${page}: ${line}: ${(error as Error).message}`);
    }
  }
  expect(refused).toEqual([]);
  expect(lines.filter(({ words }) => words !== undefined).length).toBeGreaterThan(200);
});

test("scripts and files that a line names are there, and any other program is known by a reason", () => {
  const unknown = lines.filter(({ line, words }) => {
    if (words !== undefined) return false;
    const [, script] = /^npm run (?:-s )?([\w:-]+)/.exec(line) ?? [];
    if (script !== undefined && scripts[script] !== undefined) return false;
    const [, file] = /^(?:npx tsx|node|python3?) ([\w./-]+\.(?:ts|mjs|py))/.exec(line) ?? [];
    if (file !== undefined && existsSync(join(root, file))) return false;
    return otherProgram(line) === undefined;
  });
  expect(unknown.map(({ page, line }) => `${page}: ${line}`)).toEqual([]);
});

test("what docs:snippets leaves out has a reason, and every reason is used", () => {
  const all = lines.flatMap(({ line, words }) => (words === undefined ? [otherProgram(line)] : [whyNotRun(line)]));
  const used = new Set(all.filter((why) => why !== undefined));
  expect(whyNotRun("limbeck train --gpu")).toBe("needs a GPU");
  expect(whyNotRun("limbeck envs")).toBeUndefined();
  expect(used.size).toBeGreaterThan(10);
});
