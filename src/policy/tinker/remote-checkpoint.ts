/** A checkpoint on a trainer, as a small file here that says where it is and what belongs to it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EngineError, errorCode, parseJson, replaceFile } from "../../base/index.ts";
import { removeLeft, writingBeside } from "../../base/writing-names.ts";
import type { JsonObject } from "../local/config-file.ts";

const REMOTE_FILE = "tinker.json";

export interface RemoteCheckpointFile {
  /** Address of the trainer. */
  readonly trainer: string;
  /** `tinker://MODEL/weights/NAME` */
  readonly path: string;
  readonly baseModel: string;
  readonly rank: number;
  readonly version: number;
  readonly steps: number;
  readonly progress: JsonObject;
}

const schema = z.object({
  trainer: z.string(),
  path: z.string().regex(/^tinker:\/\/[\w-]+\/weights\/[\w-]+$/),
  baseModel: z.string(),
  rank: z.int(),
  version: z.int(),
  steps: z.int(),
  progress: z.custom<JsonObject>((value) => z.record(z.string(), z.json()).safeParse(value).success),
});

/** A kill leaves the old file or the new one. */
export async function writeRemoteCheckpoint(folder: string, checkpoint: RemoteCheckpointFile): Promise<void> {
  const text = `${JSON.stringify(checkpoint, undefined, 2)}\n`;
  await replaceFile(join(folder, REMOTE_FILE), text, writingBeside(join(folder, REMOTE_FILE)));
  await removeLeft(folder);
}

/** With `wanted`, a checkpoint of another base model or rank is refused. */
export async function readRemoteCheckpoint(
  folder: string,
  wanted?: { readonly baseModel: string; readonly rank: number },
): Promise<RemoteCheckpointFile> {
  const file = join(folder, REMOTE_FILE);
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    const code = errorCode(cause) === "ENOENT" ? "file-missing" : "file-unreadable";
    throw new EngineError(code, `"${file}" cannot be read; it names the checkpoint on the trainer.`, { cause });
  });
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new EngineError("bad-state", `"${file}" does not name a checkpoint of a trainer.`);
  const { baseModel, rank } = parsed.data;
  if (wanted === undefined || (baseModel === wanted.baseModel && rank === wanted.rank)) return parsed.data;
  throw new EngineError(
    "folder-holds-another-model",
    `"${file}" names a checkpoint of "${baseModel}" with rank ${rank}; the open model is "${wanted.baseModel}" with rank ${wanted.rank}.`,
  );
}
