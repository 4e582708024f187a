/** Looking at a trainer's checkpoints: listing, describing, deleting, downloading. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EngineError } from "../../base/index.ts";
import { removeLeft, writingBeside } from "../../base/writing-names.ts";
import { readArchive } from "./archive.ts";
import type { TinkerHttp } from "./http.ts";
import { threeParts } from "./training-client.ts";
import { checkpointsSchema, readAs, weightsInfoSchema } from "./wire.ts";

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
  const temporary = writingBeside(folder);
  await removeLeft(dirname(folder));
  await mkdir(temporary, { recursive: true });
  const names: string[] = [];
  try {
    for await (const { name, data } of readArchive(bytes)) {
      await writeFile(join(temporary, name), data, { flush: true });
      names.push(name);
    }
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  return names.sort();
}

/** `tinker://MODEL/weights/NAME` or `tinker://MODEL/sampler_weights/NAME`. */
export function partsOf(path: string): { readonly model: string; readonly kind: string; readonly name: string } {
  const match = /^tinker:\/\/([\w-]+)\/(weights|sampler_weights)\/([\w-]+)$/.exec(path);
  const [, model, kind, name] = match ?? [];
  if (model !== undefined && kind !== undefined && name !== undefined) return { model, kind, name };
  throw new EngineError(
    "bad-option",
    `"${path}" is no checkpoint of a trainer; they are named tinker://MODEL/weights/NAME or tinker://MODEL/sampler_weights/NAME.`,
  );
}
