/** Looking at a trainer's checkpoints: listing, describing, deleting, downloading. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { readTar } from "limbeck-base/base/tar";
import { writeBeside } from "limbeck-base/base/writing-names";
import type { TinkerHttp } from "./http.ts";
import { threeParts } from "./training-client.ts";
import { checkpointsSchema, readAs, weightsInfoSchema } from "./wire.ts";
import { createGzip } from "node:zlib";
import { Readable } from "node:stream";

export interface RemoteCheckpoint {
  readonly name: string;
  readonly kind: "training" | "sampler";
  /** `tinker://…` */
  readonly path: string;
}

export interface CheckpointClient {
  list(modelId: string, signal?: AbortSignal): Promise<RemoteCheckpoint[]>;
  /** Of weights for training only. */
  describe(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ readonly baseModel: string; readonly isLora: boolean; readonly rank: number | undefined }>;
  remove(path: string, signal?: AbortSignal): Promise<void>;
  /** Weights to sample from, as files in a new folder; the names of the files. It appears whole or not at all. */
  download(path: string, folder: string, signal?: AbortSignal): Promise<string[]>;
}

export function createCheckpointClient(http: TinkerHttp): CheckpointClient {
  return {
    list: async (modelId, signal) => {
      const what = `the checkpoints of ${modelId}`;
      const path = `/api/v1/training_runs/${encodeURIComponent(modelId)}/checkpoints`;
      const { checkpoints } = readAs(checkpointsSchema, await http.json(path, { method: "GET", what, signal }), what);
      return checkpoints.map(({ checkpoint_id, checkpoint_type, tinker_path }) => {
        const kind = checkpoint_type === "sampler" ? "sampler" : "training";
        const full = threeParts(tinker_path, kind === "sampler" ? "sampler_weights" : "weights");
        return { name: checkpoint_id, kind, path: full };
      });
    },
    describe: async (tinkerPath, signal) => {
      const what = "weights_info";
      const answer = await http.json("/api/v1/weights_info", { body: { tinker_path: tinkerPath }, what, signal });
      const { base_model, is_lora, lora_rank } = readAs(weightsInfoSchema, answer, what);
      return { baseModel: base_model, isLora: is_lora, rank: lora_rank ?? undefined };
    },
    remove: async (path, signal) => {
      const { model, kind, name } = partsOf(path);
      const at = `/api/v1/training_runs/${model}/checkpoints/${kind}/${name}`;
      await http.json(at, { method: "DELETE", what: `deleting ${path}`, signal });
    },
    download: async (path, folder, signal) => {
      const { model, name } = partsOf(path);
      const at = `/api/v1/training_runs/${model}/checkpoints/${name}/archive`;
      // The redirect to the download is followed by fetch itself.
      const bytes = await http.bytes(at, { method: "GET", what: `the archive of ${path}`, signal, timeoutMs: 600_000 });
      return await unpack(bytes, resolve(folder));
    },
  };
}

async function unpack(bytes: AsyncIterable<Uint8Array>, folder: string): Promise<string[]> {
  const names: string[] = [];
  await writeBeside(folder, async (temporary) => {
    for await (const { name, data } of readArchive(bytes)) {
      await writeFile(join(temporary, name), data, { flush: true });
      names.push(name);
    }
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  });
  return names.sort();
}

/** `tinker://MODEL/weights/NAME` or `tinker://MODEL/sampler_weights/NAME`. */
function partsOf(path: string): { readonly model: string; readonly kind: string; readonly name: string } {
  const match = /^tinker:\/\/([\w-]+)\/(weights|sampler_weights)\/([\w-]+)$/.exec(path);
  const [, model, kind, name] = match ?? [];
  if (model !== undefined && kind !== undefined && name !== undefined) return { model, kind, name };
  throw new EngineError(
    "bad-option",
    `"${path}" is no checkpoint of a trainer; they are named tinker://MODEL/weights/NAME or tinker://MODEL/sampler_weights/NAME.`,
  );
}

// Archives of checkpoints: tar in gzip.

export interface ArchiveFile {
  /** A plain name: no folder, nothing hidden. */
  readonly name: string;
  readonly data: Uint8Array;
}

const BLOCK = 512;
const PLAIN_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,98}$/;

/** The archive as a stream, file after file. */
export function writeArchive(files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>): AsyncIterable<Uint8Array> {
  return Readable.from(blocksOf(files)).pipe(createGzip());
}

async function* blocksOf(files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  for await (const { name, data } of files) {
    yield headerOf(name, data.length);
    yield data;
    yield new Uint8Array((BLOCK - (data.length % BLOCK)) % BLOCK);
  }
  yield new Uint8Array(2 * BLOCK);
}

function headerOf(name: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, "utf8");
  const octal = (value: number, at: number, width: number): void => {
    header.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, width, "latin1");
  };
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  header.fill(" ", 148, 156);
  header.write("0", 156, 1, "latin1");
  header.write("ustar\x0000", 257, 8, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8, "latin1");
  return header;
}

/**
 * The plain files of an archive, one after the other. Folders and notes of other tools are passed over; a name that leads
 * out of the folder is refused, because the archive is foreign.
 */
export async function* readArchive(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveFile> {
  for await (const { path, kind, pieces } of readTar(bytes, damaged)) {
    if (kind !== "file") continue;
    const name = path.replace(/^(\.\/)+/, "");
    if (!PLAIN_NAME.test(name)) throw damaged(`it holds a file named ${JSON.stringify(name.slice(0, 60))}`);
    const parts: Buffer[] = [];
    for await (const piece of pieces) parts.push(piece);
    yield { name, data: Buffer.concat(parts) };
  }
}

function damaged(why: string, cause?: unknown): EngineError {
  return new EngineError("bad-archive", `The checkpoint's archive cannot be used: ${why}. Download it again.`, {
    cause,
  });
}
