/**
 * The suite every line-based format runs: bad input, leniency, cancellation, and exports that leave nothing half done.
 * Call it inside a `describe` of a test file.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Format, ReadOptions, Skip, Source } from "./source.ts";

export interface FormatSamples {
  /** A valid line, another one for each number. */
  readonly line: (number: number) => string;
  /** Two lines whose trajectories have one id. Default: the same line twice. */
  readonly sameId?: readonly [string, string];
  /** Valid JSON that is not this format. */
  readonly wrongShape: string;
  /** Whether a folder may be read. */
  readonly folders: boolean;
}

/** Everything: reading and writing. */
export function formatContract(format: Format, samples: FormatSamples): void {
  readContract(format, samples);
  writeContract(format, samples);
}

interface Workspace {
  readonly path: (name: string) => string;
  readonly file: (content: string | Uint8Array) => Promise<string>;
  readonly read: (path: string, options?: ReadOptions) => Promise<Trajectory[]>;
}

/** A folder for each test, removed after it. */
function workspace(format: Source): Workspace {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-format-"));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    file: async (content) => {
      await writeFile(path("in.jsonl"), content);
      return path("in.jsonl");
    },
    read: async (from, options = {}) => {
      const all: Trajectory[] = [];
      for await (const trajectory of format.read(from, options)) all.push(trajectory);
      return all;
    },
  };
}

/** Reading alone, for formats that are not written. */
export function readContract(format: Source, samples: FormatSamples): void {
  const [one, two] = [samples.line(1), samples.line(2)];
  const { path: inFolder, file, read } = workspace(format);

  const bad: Readonly<Record<string, { readonly content: string | Uint8Array; readonly line: number }>> = {
    "a malformed line": { content: `${one}\n{"a":,}\n${two}\n`, line: 2 },
    "a line that is JSON but not this format": { content: `${one}\n${samples.wrongShape}\n${two}\n`, line: 2 },
    "a line that is not an object": { content: `7\n${one}\n${two}\n`, line: 1 },
    "invalid UTF-8": {
      content: Buffer.concat([Buffer.from(`${one}\n${two}\n`), Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a])]),
      line: 3,
    },
    "an over-long line": { content: `${one}\n${two}\n"${"x".repeat(70_000)}"\n`, line: 3 },
    "a file that was cut off": { content: `${one}\n${two}\n${one.slice(0, -3)}`, line: 3 },
  };
  for (const [what, { content, line }] of Object.entries(bad)) {
    test(`${format.id}: ${what} is an error that names file and line, and a skip when lenient`, async () => {
      const path = await file(content);
      const error: unknown = await read(path, { maxLineBytes: 65_536 }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: "EngineError", details: { file: path, line } });
      expect(String(error)).toContain(`line ${line}`);
      const skips: Skip[] = [];
      const kept = await read(path, { lenient: true, maxLineBytes: 65_536, onSkip: (skip) => skips.push(skip) });
      expect(kept).toHaveLength(2);
      expect(skips).toMatchObject([{ file: path, line }]);
    });
  }

  test(`${format.id}: an empty file has no trajectories; a missing one is an error`, async () => {
    expect(await read(await file(""))).toEqual([]);
    await expect(read(inFolder("none.jsonl"))).rejects.toMatchObject({ code: "file-missing" });
    const code = samples.folders ? "no-files" : "not-a-file";
    await rm(inFolder("in.jsonl"));
    await expect(read(inFolder(""))).rejects.toMatchObject({ code });
  });

  test(`${format.id}: one id on two lines is kept under two ids, with a notice`, async () => {
    const notices: Skip[] = [];
    const lines = samples.sameId ?? [one, one];
    const both = await read(await file(lines.join("\n")), { onNotice: (notice) => notices.push(notice) });
    expect(new Set(both.map((trajectory) => trajectory.id)).size).toBe(2);
    expect(notices).toMatchObject([{ code: "duplicate-id", line: 2 }]);
  });

  test(`${format.id}: progress rises to the size of the file, and cancellation stops`, async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => samples.line(index)).join("\n");
    const short = await file(lines);
    const seen: number[] = [];
    const count = (await read(short, { onProgress: (bytes) => seen.push(bytes) })).length;
    expect(count).toBe(1000);
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(seen.at(-1)).toBe((await readFile(short)).length);
    // Longer than what is read ahead.
    const path = await file(Array.from({ length: 4 }, () => lines).join("\n"));
    const stop = new AbortController();
    let before = 0;
    const stopped = (async () => {
      for await (const _ of format.read(path, { signal: stop.signal })) {
        before += 1;
        stop.abort();
      }
    })();
    await expect(stopped).rejects.toMatchObject({ code: "cancelled" });
    expect(before).toBeLessThan(4000);
  });
}

function writeContract(format: Format, samples: FormatSamples): void {
  const [one, two] = [samples.line(1), samples.line(2)];
  const { path: inFolder, file, read } = workspace(format);

  test(`${format.id}: an export is read back, and an existing target is refused`, async () => {
    const trajectories = await read(await file(`${one}\n${two}\n`));
    for (const name of ["out.jsonl", "out.jsonl.gz"]) {
      const path = inFolder(name);
      const counts: number[] = [];
      const result = await format.write(path, each(trajectories), { onProgress: (count) => counts.push(count) });
      expect(result).toEqual({ trajectories: 2, bytes: (await readFile(path)).length });
      expect(counts.at(-1)).toBe(2);
      expect(await read(path)).toHaveLength(2);
      await expect(format.write(path, each([]), {})).rejects.toMatchObject({ code: "target-exists" });
      await format.write(path, each(trajectories.slice(0, 1)), { overwrite: true });
      expect(await read(path)).toHaveLength(1);
    }
  });

  test(`${format.id}: a failed export leaves the folder as it was`, async () => {
    const trajectories = await read(await file(`${one}\n${two}\n`));
    const before = await readdir(inFolder(""));
    async function* failing(): AsyncGenerator<Trajectory, void, undefined> {
      yield* trajectories;
      throw new Error("the source broke");
    }
    await expect(format.write(inFolder("out.jsonl"), failing(), {})).rejects.toThrow("the source broke");
    await expect(format.write(inFolder("out.jsonl.gz"), failing(), {})).rejects.toThrow("the source broke");
    const signal = AbortSignal.abort();
    await expect(format.write(inFolder("out.jsonl"), each(trajectories), { signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect(format.write(inFolder("no/out.jsonl"), each(trajectories), {})).rejects.toMatchObject({
      code: "folder-missing",
    });
    expect(await readdir(inFolder(""))).toEqual(before);
  });
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
