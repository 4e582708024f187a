/**
 * Every byte from outside has a bound. Which readers there are is read off the sources: a file is opened for reading by
 * `limbeck-base/base/plain-file` alone, and each kind of reader is handed an endless device and a value that is too large.
 */
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { sourcesIn } from "../scripts/layout.ts";
import { errorCode } from "../packages/base/src/base/errors.ts";
import { givenText } from "../packages/base/src/base/given-file.ts";
import { hashFile, textIfThere } from "../packages/base/src/base/files.ts";
import { boundedJson, parseJson } from "../packages/base/src/base/json.ts";
import {
  LARGEST_FILE,
  plainBytes,
  plainPieces,
  plainText,
  plainTextSync,
} from "../packages/base/src/base/plain-file.ts";
import { listTokens } from "../packages/base/src/base/tokens-file.ts";
import { readTaskFile } from "../packages/core/src/env/task-file.ts";
import { readJsonFile } from "../packages/policy/src/policy/local/model-folder.ts";
import { openGguf } from "../packages/policy/src/policy/local/gguf/gguf-file.ts";
import { openSafetensors } from "../packages/policy/src/policy/local/safetensors.ts";
import { readBounded } from "../packages/testing/src/suite/suite-file.ts";
import { localFiles } from "../packages/store/src/store/local-files.ts";
import { readBytes } from "../packages/store/src/store/formats/bytes.ts";

const root = join(import.meta.dirname, "..");

/** Files that may read in another way, each with its reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "base/plain-file.ts": "it is the one place",
  "base/own-place.ts": "manifests of this installation",
  "base/package-info.ts": "manifests of this installation",
  "base/process-identity.ts": "files of the kernel, by fixed names",
  "base/parts/load-part.ts": "programs of the user, which run anyway",
  "base/parts/module-hooks.ts": "programs of the user, which run anyway",
  "env/world-text.ts": "data of this package",
  "cli/commands/ci.ts": "templates of this package",
  "cli/catalog/catalog.ts": "data of this package",
  "cli/init/write-project.ts": "templates of this package",
  "record/recorder/cassette.ts": "the recorder imports no base; a cassette is a file of the user's own tests",
  "record/recorder/skill-library.ts": "the recorder imports no base; it has the same bound of its own",
  "report/document.ts": "a style sheet of this package",
  "store/formats/json-values.ts": "a function of that name, over `readBytes`",
  "serve/http/assets.ts": "pages of this package, by a list",
  "arena/arm-process.ts": "a plan that its parent wrote",
  "training/unlearned.ts": "data of this package",
};
const READS = /(?<![\w.#])(?:readFile|readFileSync|createReadStream|openSync|open)\((?!\))[^)]*/gu;
/** What opens a file for reading; functions and methods that are called "open" do not. */
const FROM_FS = /import \{([^}]*)\} from "node:fs(?:\/promises)?"/gu;

test("no file is opened for reading but by plain-file", () => {
  const found = new Set<string>();
  for (const { path, text } of sourcesIn(root)) {
    if (/\.(?:test|contract)\.ts$/u.test(path)) continue;
    const names = [...text.matchAll(FROM_FS)].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim()));
    const code = text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gmu, "");
    for (const [call] of code.matchAll(READS)) {
      const name = call.slice(0, call.indexOf("("));
      // Opened to be written, or to be synced.
      if (name.startsWith("open") && /"(?:wx|w|a|ax|r\+)"|folder, "r"/u.test(call)) continue;
      if (names.includes(name)) found.add(path);
    }
  }
  expect(found.size).toBeGreaterThan(5);
  expect([...found].filter((path) => ELSEWHERE[path] === undefined)).toEqual([]);
});

let folder: string;
let device: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-outside-"));
  device = join(folder, "device");
  await symlink("/dev/zero", device);
  await mkdir(join(folder, "model"));
  for (const name of ["config.json", "model.safetensors", "tasks.jsonl", "run.gz"])
    await symlink("/dev/zero", join(folder, "model", name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function drained(pieces: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const _ of await pieces);
}

/** One of each kind of reader: texts, bytes, streams, without waiting, store, import, suites, models, tokens. */
const READERS: Readonly<Record<string, () => unknown>> = {
  text: () => plainText(device),
  bytes: () => plainBytes(device),
  pieces: () => drained(plainPieces(device)),
  "without waiting": () => plainTextSync(device),
  "text, if there": () => textIfThere(device),
  "text that a person names": () => givenText({ cwd: folder }, "device", "the plan"),
  digest: () => hashFile(device),
  "a file of the store": () => localFiles(folder).read("device"),
  "a stat of the store": () => localFiles(folder).stat("device"),
  "a digest of the store": () => localFiles(folder).digest("device"),
  "a mark of the store": () => localFiles(folder).look("device"),
  import: () => drained(readBytes(device)),
  "import, packed": () => drained(readBytes(join(folder, "model", "run.gz"))),
  suite: () => readBounded(device, "the suite"),
  tasks: () =>
    readTaskFile(join(folder, "model", "tasks.jsonl"), {
      env: "x",
      schema: z.object({ split: z.string(), goal: z.string() }),
      form: "{}",
      data: () => undefined,
    }),
  tokens: () => listTokens(device),
  "a model's settings": () => readJsonFile(join(folder, "model"), "config.json"),
  safetensors: () => openSafetensors(join(folder, "model", "model.safetensors")),
  gguf: () => openGguf(device),
};

test.for(Object.entries(READERS))("a device that never ends is refused: %s", async ([, read]) => {
  const error: unknown = await (async () => await read())().catch((thrown: unknown) => thrown);
  expect(`${errorCode(error)} ${(error as Error).message} ${String((error as Error).cause)}`).toMatch(
    /is a device, and only plain files|is not a plain file/u,
  );
});

test("a file that is larger than its kind may be is refused before it is read", async () => {
  const path = join(folder, "sparse");
  await writeFile(path, "");
  for (const kind of ["settings", "text", "data"] as const) {
    await truncate(path, LARGEST_FILE[kind] + 1);
    await expect(plainBytes(path, kind)).rejects.toMatchObject({ code: "file-too-large" });
  }
  expect(() => plainTextSync(path)).toThrow(/has more than 64 MiB/u);
});

test("a file of the kernel that says it is empty is read to its end, within the bound", async () => {
  expect(await plainText("/proc/self/status", "settings")).toContain("Pid:");
});

test("a link is followed only where the reader may", async () => {
  await writeFile(join(folder, "whole"), "x");
  await symlink(join(folder, "whole"), join(folder, "link"));
  expect(await plainText(join(folder, "link"))).toBe("x");
  await expect(plainText(join(folder, "link"), "text", { noLinks: true })).rejects.toThrow(/is a link/u);
});

test("JSON may be nested 500 deep, brackets in its strings aside", () => {
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  expect(parseJson(nested(500))).toBeDefined();
  expect(parseJson(nested(501))).toBeUndefined();
  expect(() => boundedJson(`{"a":${nested(20_000)}}`)).toThrow(/nested more than 500 deep/u);
  expect(boundedJson(JSON.stringify({ text: nested(2_000), '\\"[': ['"[', "\\"] }))).toBeDefined();
});
