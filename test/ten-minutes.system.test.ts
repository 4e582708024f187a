/** docs/learn/ten-minutes.md, as a new user types it: its files, its commands, and what it says they print. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "./support/fake-io.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder = "";
let page = "";
beforeAll(async () => {
  page = await readFile(join(root, "docs", "learn", "ten-minutes.md"), "utf8");
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

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

/** A command line of the page; the page must have it exactly so. */
async function type(line: string): Promise<string> {
  expect(blocks("sh").join("\n")).toContain(line);
  const [, skills, command = ""] = /^(SKILLS=skills )?(.*)$/.exec(line) ?? [];
  if (command.startsWith("node ")) {
    const env = { ...process.env, ...(skills === undefined ? {} : { SKILLS: "skills" }) };
    const ran = await promisify(execFile)(process.execPath, command.split(" ").slice(1), { cwd: folder, env });
    return ran.stdout;
  }
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  const { code, out, err } = await limbeck(words.slice(2), { cwd: folder });
  expect({ line, code, err: code === 0 ? "" : err }).toEqual({ line, code: 0, err: "" });
  return out;
}

test("every command does what the page says", { timeout: 60_000 }, async () => {
  const [agent = "", standIn = ""] = blocks("js");
  await writeFile(join(folder, "agent.mjs"), agent);
  await writeFile(join(folder, "stand-in.mjs"), standIn);
  expect(await type("node agent.mjs")).toBe("6 of 12 refunds were right.\n");
  expect(await type("npx limbeck import recordings")).toContain("Imported 12 trajectories");
  const extracted = await type("npx limbeck skills extract");
  const printed = /```\n(added[\s\S]*?)```/.exec(page)?.[1] ?? "";
  expect(extracted.replace(/\(\d+ ms\)/, "(599 ms)").replace("(0 ms)", "(599 ms)")).toBe(printed);
  expect(await type("npx limbeck skills show refund-order")).toContain("6 of 12 episodes of its kind");
  await type('npx limbeck skills promote refund-order --why "that is our rule"');
  expect(await type("SKILLS=skills node agent.mjs")).toBe("12 of 12 refunds were right.\n");
  await type('npx limbeck skills rollback refund-order --why "only a test"');
  expect(await type("npx limbeck skills list")).toContain("candidate");
});
