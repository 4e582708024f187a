/** docs/learn/new-world.md, as a new user types it: its world, its commands in their order, each at a small size. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "./support/command-line.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What stands behind a command of the page so that it is over soon; the last of two equal options counts. */
const SMALL: Readonly<Record<string, string>> = {
  check: "--runs 3",
  eval: "--tasks 2 --max-steps 2",
  "warm-up": "--demonstrations 8 --steps 1 --validation-tasks 1 --batch 2 --threads 1",
  train:
    "--steps 1 --report-tasks 1 --validate-every 0 --threads 1 --set tasks=1 --set group=2 --set maxSteps=1 --set answerTokens=4",
};

let folder = "";
let page = "";
beforeAll(async () => {
  page = await readFile(join(root, "docs", "learn", "new-world.md"), "utf8");
  folder = await mkdtemp(join(tmpdir(), "limbeck-new-world-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

function type(line: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const words = line.split(" ").slice(2);
  const small = SMALL[words[0] ?? ""]?.split(" ") ?? [];
  return new Promise((done) => {
    execFile(process.execPath, [COMMAND_LINE, ...words, ...small], { cwd: folder }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

test(
  "every command of the page runs, one after the other, on the world of the page",
  { timeout: 240_000 },
  async () => {
    const [world = ""] = blocks("ts");
    const [named] = /Save this as `([\w-]+\.ts)`/.exec(page)?.slice(1) ?? [];
    await writeFile(join(folder, named ?? ""), world);
    const lines = blocks("sh")
      .flatMap((block) => block.trim().split("\n"))
      .filter((line) => line.startsWith("npx limbeck "));
    expect(blocks("sh").flatMap((block) => block.trim().split("\n")).length).toBeLessThanOrEqual(10);
    expect(lines.map((line) => line.split(" ")[2])).toEqual(["check", "eval", "warm-up", "train", "eval"]);
    const said: string[] = [];
    for (const line of lines) {
      const { code, out, err } = await type(line);
      expect({ line, code, err: code === 0 ? "" : err }).toEqual({ line, code: 0, err: "" });
      said.push(out);
    }
    expect(said[0]).toContain(/```\n(✓[\s\S]*?)```/.exec(page)?.[1]);
    expect(said[0]).toContain("All 12 hold.");
    expect(said[2]).toContain("Shown by expert: 8 of 8 episodes succeeded");
    expect(said[2]).toContain("Go on: limbeck train --env ./kitchen.ts --model models/kitchen");
    expect(said[3]).toContain("The run and its model: runs/kitchen");
    expect(said[4]).toContain("runs/kitchen/model less models/kitchen: ");
  },
);
