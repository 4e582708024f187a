/** A hundred files of users that break something: each ends with a named error, and the process that uses them goes on. */
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PlainError } from "../packages/base/src/base/errors.ts";
import { ERROR_CODES } from "../packages/base/src/base/error-codes.ts";
import { brokenFiles } from "./broken-parts/broken-files.ts";
import { brokenMethods } from "./broken-parts/broken-methods.ts";
import { brokenWorlds } from "./broken-parts/broken-worlds.ts";

const brokenModules = [...brokenFiles, ...brokenWorlds, ...brokenMethods];

const here = (name: string): string => fileURLToPath(new URL(`./broken-parts/${name}`, import.meta.url));
const compiler = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

let folder = "";
const outcomes = new Map<string, PlainError | null>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "broken-parts-"));
  await mkdir(folder, { recursive: true });
  await copyFile(here("good-parts.ts"), join(folder, "good-parts.ts"));
  for (const { file, text: body } of brokenModules) await writeFile(join(folder, file), body);
  await writeFile(join(folder, "good.ts"), 'import { world } from "./good-parts.ts";\nexport default world();\n');
  // Those that never end wait that long; for the others it is only a limit.
  const given = brokenModules.map(({ file, kind, code }) => ({
    file,
    kind,
    seconds: code === "part-timeout" ? 0.4 : 20,
  }));
  given.push({ file: "good.ts", kind: "environment", seconds: 20 });
  const child = spawn(process.execPath, ["--import", compiler, here("try-parts.ts"), folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(given));
  for (const line of (await text(child.stdout)).split("\n").filter((one) => one !== "")) {
    const { file, error } = JSON.parse(line) as { readonly file: string; readonly error: PlainError | null };
    outcomes.set(file, error);
  }
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("broken files", () => {
  test("are at least a hundred, each another", () => {
    expect(new Set(brokenModules.map(({ file }) => file)).size).toBe(brokenModules.length);
    expect(brokenModules.length).toBeGreaterThanOrEqual(100);
    expect(brokenModules.every(({ code }) => Object.hasOwn(ERROR_CODES, code))).toBe(true);
  });

  test("do no harm to the good one after them", () => expect(outcomes.get("good.ts")).toBeNull());

  test.each(brokenModules)("$file ends with $code", ({ file, code, says }) => {
    const error = outcomes.get(file);
    expect(error?.code, `${file}: ${JSON.stringify(error)}`).toBe(code);
    expect(error?.message).toMatch(says);
  });
});
