/**
 * The suite every importer runs on its samples: valid, nothing lost, calls paired, no secret, the same twice, and files that were
 * damaged in many ways. `LIMBECK_MUTATIONS=2000` damages that many; call it inside a `describe`.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { EngineError } from "../../packages/base/src/base/errors.ts";
import { isObject, parseJson, type Json } from "../../packages/base/src/base/json.ts";
import type { Skip, SessionSource } from "../../packages/store/src/store/formats/source.ts";
import { atif } from "../../packages/store/src/store/formats/atif.ts";
import { trajectoryFromJson, trajectoryToJson } from "../../packages/base/src/trajectory/schema.ts";
import { validateForest } from "../../packages/base/src/trajectory/forest.ts";
import type { Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { createRedactor } from "../../packages/recorder/src/redact.ts";
import { sources } from "../../packages/store/src/record/importers/registry.ts";
import { detectSource } from "../../packages/store/src/store/formats/detect.ts";
import { damaged } from "./damaged-text.ts";

/** In samples these stand for what must never be stored. */
const PLANTED = { "@SECRET@": `sk-ant-${"api03-Zz9".repeat(5)}`, "@EMAIL@": "ann.example@example.org" };
const MUTATIONS = process.env["LIMBECK_MUTATIONS"];

export interface ImporterSamples {
  /** A folder below `test/samples/sessions`, or files by their names. */
  readonly files: string | Readonly<Record<string, string>>;
  /** How many files are damaged where LIMBECK_MUTATIONS says nothing. */
  readonly damaged?: number;
  /** Names of fields, anywhere, whose values are left out on purpose. */
  readonly leaves?: readonly string[];
  /** Records that only repeat others. */
  readonly repeats?: (record: Json) => boolean;
}

export interface Samples {
  readonly read: (options?: { readonly lenient?: boolean }) => Promise<Trajectory[]>;
}

/** Runs the suite, and gives what reads the samples for tests of one's own. */
export function importerContract(importer: SessionSource, samples: ImporterSamples): Samples {
  let folder = "";
  let texts: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-importer-"));
    texts = await lay(samples.files, folder);
  });
  afterAll(() => rm(folder, { recursive: true }));
  const readFrom = async (path: string, lenient: boolean, skips: Skip[] = []): Promise<Trajectory[]> => {
    const all: Trajectory[] = [];
    const options = { lenient, onSkip: (skip: Skip) => skips.push(skip) };
    for await (const trajectory of importer.read(path, options)) all.push(trajectory);
    return all;
  };

  test(`${importer.id}: its samples are read whole, and every call has its result or is said to have none`, async () => {
    const all = await readFrom(folder, false);
    expect(all.length).toBeGreaterThan(0);
    expect(validateForest(all)).toEqual([]);
    for (const trajectory of all) {
      expect(trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(trajectory))))).toEqual(trajectory);
      const session = trajectory.info?.["session"] as { unanswered?: string[] } | undefined;
      expect(openCalls(trajectory)).toEqual(session?.unanswered ?? []);
    }
  });

  test(`${importer.id}: whatever a sample says is found in what was made of it`, async () => {
    const made = JSON.stringify(await readFrom(folder, false));
    const redactor = createRedactor();
    const lost = Object.entries(texts).flatMap(([, text]) =>
      recordsOf(text)
        .filter((record) => samples.repeats?.(record) !== true)
        .flatMap((record) => leavesOf(redactor.json(record), samples.leaves ?? []))
        .filter((leaf) => !made.includes(JSON.stringify(leaf).slice(1, -1))),
    );
    expect([...new Set(lost)]).toEqual([]);
  });

  test(`${importer.id}: an export as ATIF is read back the same`, async () => {
    const all = await readFrom(folder, false);
    const path = join(folder, "..", `${folder.split("/").at(-1)}.atif.jsonl`);
    await atif.write(path, each(all), {});
    const back: Trajectory[] = [];
    for await (const trajectory of atif.read(path, {})) back.push(trajectory);
    await rm(path);
    expect(back).toEqual(all);
  });

  test(`${importer.id}: it is told by the beginning of a file, and reads the same twice`, async () => {
    const own = Object.keys(texts).filter((name) => importer.files.test(name) && importer.sign.source !== "(?!)");
    for (const name of own) {
      expect([name, (await detectSource(join(folder, name), Object.values(sources))).id]).toEqual([name, importer.id]);
    }
    expect(await readFrom(folder, true)).toEqual(await readFrom(folder, true));
  });

  test(`${importer.id}: no secret passes, and an empty folder says so`, async () => {
    const made = JSON.stringify(await readFrom(folder, false));
    expect(Object.values(texts).join("")).toContain(PLANTED["@SECRET@"]);
    for (const secret of Object.values(PLANTED)) expect(made).not.toContain(secret);
    const empty = await mkdtemp(join(tmpdir(), "limbeck-importer-"));
    await expect(readFrom(empty, true)).rejects.toMatchObject({ code: "no-files" });
    await rm(empty, { recursive: true });
  });

  const mutations = Number(MUTATIONS ?? samples.damaged ?? 25);
  test(`${importer.id}: ${mutations} damaged files neither crash nor leak`, { timeout: 1_200_000 }, async () => {
    const rng = createRng(7);
    const names = Object.keys(texts);
    for (let number = 0; number < mutations; number += 1) {
      const name = names[number % names.length] as string;
      await writeFile(join(folder, name), damaged(texts[name] as string, rng, Object.values(PLANTED)));
      try {
        const skips: Skip[] = [];
        const strict: unknown = await readFrom(folder, false).catch((error: unknown) => error);
        expect(Array.isArray(strict) || strict instanceof EngineError).toBe(true);
        const all = await readFrom(folder, true, skips);
        const made = JSON.stringify([
          all,
          skips,
          strict instanceof EngineError ? [strict.message, strict.details] : [],
        ]);
        for (const secret of Object.values(PLANTED)) expect(made).not.toContain(secret);
        expect(validateForest(all).filter(({ code }) => code !== "task-differs")).toEqual([]);
      } finally {
        await writeFile(join(folder, name), texts[name] as string);
      }
    }
  });

  return { read: () => readFrom(folder, false) };
}

/** Copies the samples with the planted secrets in place; gives their texts. */
async function lay(files: ImporterSamples["files"], folder: string): Promise<Record<string, string>> {
  if (typeof files === "string")
    await cp(new URL(`../samples/sessions/${files}`, import.meta.url), folder, { recursive: true });
  else {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }
  const texts: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    if (!(await stat(path)).isFile()) continue;
    const text = Object.entries(PLANTED).reduce(
      (own, [mark, secret]) => own.replaceAll(mark, secret),
      await readFile(path, "utf8"),
    );
    await writeFile(path, text);
    texts[name] = text;
  }
  return texts;
}

function openCalls({ steps, closing }: Trajectory): string[] {
  const given = [...steps.flatMap((step) => step.messages ?? []), ...(closing?.messages ?? [])];
  const answered = new Set(given.flatMap((message) => message.toolCallId ?? []));
  return steps.flatMap(({ reply }) => (reply?.toolCalls ?? []).map(({ id }) => id)).filter((id) => !answered.has(id));
}

function recordsOf(text: string): Json[] {
  try {
    return [JSON.parse(text) as Json];
  } catch {
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Json]));
  }
}

/** JSON as text is looked into. Texts longer than a word: shorter ones are types and marks, which have fields of their own here. */
function leavesOf(value: Json, leaves: readonly string[]): string[] {
  const opened = typeof value === "string" && /^[[{]/.test(value) ? parseJson(value) : undefined;
  if (opened !== undefined) return leavesOf(opened, leaves);
  if (typeof value === "string") return /\s/.test(value) && value.trim() !== "" ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item: Json) => leavesOf(item, leaves));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => (leaves.includes(name) ? [] : leavesOf(inner, leaves)));
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
