/** docs/learn/ten-minutes.md, typed from an empty folder on: its files, its commands in their order, and what it says they print. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { runAction } from "./run-action.ts";

const page = await readFile(fileURLToPath(new URL("../../docs/learn/ten-minutes.md", import.meta.url)), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) => text);
/** Without what a clone takes. */
const commands = blocks("sh")
  .join("")
  .split("\n")
  .filter((line) => line !== "" && line !== "npm ci" && !line.startsWith("cd "));
const run = promisify(execFile);
const AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@b.example"];

export interface Way {
  readonly folder: string;
  /** What `npx limbeck` is. */
  readonly limbeck: (words: readonly string[]) => Promise<string>;
  /** The same as a command of a shell, for the steps of CI. Default: npx, as they have it. */
  readonly program?: string;
}

/** The folder has what the first command installs. At the end the skill is lifted, delivered, and its check in CI green. */
export async function walkTheWay({ folder, limbeck, program }: Way): Promise<void> {
  expect(commands.length).toBeLessThanOrEqual(12);
  const left = [...commands];
  const type = async (line: string): Promise<string> => {
    // In the page's order, so that nothing is typed that a reader would not type.
    expect(line).toBe(left.shift());
    const [, skills, command = ""] = /^(SKILLS=skills )?(.*)$/.exec(line) ?? [];
    const [file = "", ...words] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? "",
    );
    if (file === "npx") return await limbeck(words.slice(1));
    const env = { ...process.env, ...(skills === undefined ? {} : { SKILLS: "skills" }) };
    const [start, all] = file === "git" ? ["git", [...AUTHOR, ...words]] : [process.execPath, words];
    return (await run(start, all, { cwd: folder, env })).stdout;
  };
  expect(left.shift()).toMatch(/^npm run install-into -- /);
  const [agent = "", standIn = ""] = blocks("js");
  const [tasks = ""] = blocks("jsonl");
  for (const [name, text] of Object.entries({ "agent.mjs": agent, "stand-in.mjs": standIn, "tasks.jsonl": tasks }))
    await writeFile(join(folder, name), text);

  expect(await type("node agent.mjs")).toBe("4 of 12 refunds were right.\n");
  expect(await type("npx limbeck import recordings")).toContain("Imported 12 trajectories");
  const extracted = await type("npx limbeck skills extract");
  expect(extracted.replace(/\([\d.]+ m?s\)/, "(599 ms)")).toBe(printed("added"));
  const lifted = await type(
    'npx limbeck lift --agent "node agent.mjs {prompt}" --dataset tasks.jsonl --budget runs=36',
  );
  expect(lifted).toContain(printed("✓ refund-order"));
  expect(await type("SKILLS=skills node agent.mjs")).toBe("12 of 12 refunds were right.\n");

  await type("git init");
  await type("git add agent.mjs stand-in.mjs tasks.jsonl");
  await type('git commit -m "a refund desk"');
  const base = (await run("git", ["rev-parse", "HEAD"], { cwd: folder })).stdout.trim();
  await type('npx limbeck ci --agent "node agent.mjs {prompt}"');
  await type("git add skills .github");
  await type('git commit -m "a proven skill"');
  expect(left).toEqual([]);
  const given = {
    base,
    dataset: "tasks.jsonl",
    agent: "node agent.mjs {prompt}",
    ...(program !== undefined && { limbeck: program }),
  };
  const checked = await runAction(folder, given);
  expect(checked).toMatchObject({ code: 0, outputs: { "changed.names": "refund-order", "lift.verdict": "passed" } });
  expect(checked.summary).toContain("| refund-order | helps | 1.000 | 0.333 | 0.333 |");
  // What was known is not asked for again.
  expect(checked.summary).toContain("0 episodes played");
}

/** What the page shows, from this beginning on. */
function printed(from: string): string {
  return new RegExp(`\`\`\`\n(${from}[\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? `nothing that begins with ${from}`;
}
