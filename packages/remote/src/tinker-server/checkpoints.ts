/**
 * Checkpoints on disk: `MODEL/weights/NAME` to train on from, `MODEL/sampler_weights/NAME` to sample from. A checkpoint
 * appears whole, by one rename. Names come from clients; they are checked before they become paths.
 */
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { isThere, namesIfThere } from "limbeck-base/base/files";
import { removeLeft, writingBeside } from "limbeck-base/base/writing-names";
import { plainBytes, plainText } from "limbeck-base/base/plain-file";
import { openSafetensors, writeSafetensors, type TensorToWrite } from "limbeck-policy/policy/local/safetensors";
import { type ArchiveFile, writeArchive } from "limbeck-policy/policy/tinker/checkpoint-client";
import { HttpFailure } from "./http-failure.ts";
import type { TrainingRun } from "./training-run.ts";

export type CheckpointKind = "weights" | "sampler_weights";

export interface CheckpointInfo {
  readonly base_model: string;
  readonly rank: number;
  readonly time: string;
}

const STATE = "training.safetensors";
const INFO = "limbeck.json";
const NAME = /^[A-Za-z0-9_-]{1,255}$/;

export class Checkpoints {
  readonly #root: string;
  /** Folders that a save is under way to. */
  readonly #writing = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Refuses a name that is taken, also by a save that is under way. */
  async reserve(model: string, kind: CheckpointKind, name: string): Promise<void> {
    const folder = this.#place(model, kind, name);
    if (this.#writing.has(folder) || (await isThere(folder))) {
      throw new HttpFailure(409, `Checkpoint "${name}" exists already; choose another name or delete it.`);
    }
    this.#writing.add(folder);
  }

  async saveTraining(run: TrainingRun, name: string, info: CheckpointInfo): Promise<string> {
    await this.#save(this.#place(run.id, "weights", name), info, async (temporary) => {
      await mkdir(temporary);
      const { state } = run.live.core;
      const parts = { parameters: run.learns.flat, first: state.first, second: state.second };
      const tensors = Object.entries(parts).map(([key, data]): TensorToWrite => {
        return { name: key, shape: [data.length], data, type: "F32" };
      });
      const notes = { step: String(state.step), version: String(run.live.ref.version ?? 0) };
      await writeSafetensors(join(temporary, STATE), tensors, notes);
    });
    return `tinker://${run.id}/weights/${name}`;
  }

  async saveSampler(run: TrainingRun, name: string, info: CheckpointInfo): Promise<string> {
    await this.#save(this.#place(run.id, "sampler_weights", name), info, (temporary) => run.saveForSampler(temporary));
    return `tinker://${run.id}/sampler_weights/${name}`;
  }

  async load(run: TrainingRun, path: string, optimizer: boolean): Promise<void> {
    const folder = await this.folder(path, "weights");
    const { rank } = await readInfo(folder);
    if (rank !== run.rank) {
      throw new EngineError("bad-rank", `The checkpoint has rank ${rank}, the model ${run.rank}; they must be equal.`);
    }
    const file = await openSafetensors(join(folder, STATE));
    try {
      const { state } = run.live.core;
      await run.replace(Number(file.metadata["version"] ?? 0), async () => {
        await file.readInto("parameters", run.learns.flat);
        if (!optimizer) return;
        await file.readInto("first", state.first);
        await file.readInto("second", state.second);
        state.step = Number(file.metadata["step"] ?? 0);
      });
    } finally {
      await file.close();
    }
  }

  async info(path: string, kind: CheckpointKind): Promise<CheckpointInfo> {
    return await readInfo(await this.folder(path, kind));
  }

  /** Where the files of a checkpoint are; 404 where it is not, 425 while it is written. */
  async folder(path: string, kind: CheckpointKind): Promise<string> {
    // SkyRL writes two parts for what is to be sampled from.
    const match = /^tinker:\/\/([\w-]+)\/(?:(weights|sampler_weights)\/)?([\w-]+)$/.exec(path);
    const [, model, given = kind, name] = match ?? [];
    if (model === undefined || name === undefined || given !== kind) {
      throw new HttpFailure(400, `"${path.slice(0, 120)}" is not tinker://MODEL/${kind}/NAME.`);
    }
    return await this.#found(this.#place(model, kind, name));
  }

  async list(model: string): Promise<object[]> {
    const listed: object[] = [];
    for (const kind of ["weights", "sampler_weights"] as const) {
      for (const name of await namesIn(join(this.#root, NAME.test(model) ? model : "-", kind))) {
        const { time } = await readInfo(this.#place(model, kind, name));
        const checkpoint_type = kind === "weights" ? "training" : "sampler";
        listed.push({ checkpoint_id: name, checkpoint_type, time, tinker_path: `tinker://${model}/${kind}/${name}` });
      }
    }
    return listed;
  }

  /** Those of every model, also of models that are gone. */
  async listAll(): Promise<object[]> {
    return (await Promise.all((await namesIn(this.#root)).map((model) => this.list(model)))).flat();
  }

  async remove(model: string, kind: CheckpointKind, name: string): Promise<void> {
    await rm(await this.#found(this.#place(model, kind, name)), { recursive: true });
  }

  async archive(model: string, name: string): Promise<AsyncIterable<Uint8Array | string>> {
    return writeArchive(filesIn(await this.#found(this.#place(model, "sampler_weights", name))));
  }

  #place(model: string, kind: CheckpointKind, name: string): string {
    if (NAME.test(model) && NAME.test(name)) return join(this.#root, model, kind, name);
    throw new HttpFailure(422, "A checkpoint's name has letters, digits, _ and -.");
  }

  async #found(folder: string): Promise<string> {
    if (this.#writing.has(folder)) throw new HttpFailure(425, "The checkpoint is still being written; ask again.");
    if (await isThere(folder)) return folder;
    throw new HttpFailure(404, "Checkpoint not found.");
  }

  async #save(folder: string, info: CheckpointInfo, write: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = writingBeside(folder);
    try {
      await mkdir(dirname(folder), { recursive: true });
      await removeLeft(dirname(folder));
      await write(temporary);
      await writeFile(join(temporary, INFO), `${JSON.stringify(info)}\n`);
      await rename(temporary, folder);
    } finally {
      this.#writing.delete(folder);
      await rm(temporary, { recursive: true, force: true });
    }
  }
}

async function readInfo(folder: string): Promise<CheckpointInfo> {
  return JSON.parse(await plainText(join(folder, INFO))) as CheckpointInfo;
}

/** The safetensors writer of an adapter knows its own file names; the note of this server is not part of the archive. */
async function* filesIn(folder: string): AsyncGenerator<ArchiveFile> {
  for (const name of (await readdir(folder)).sort()) {
    if (name !== INFO && !name.startsWith(".")) yield { name, data: await plainBytes(join(folder, name)) };
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await namesIfThere(folder)) ?? []).filter((name) => NAME.test(name)).sort();
}
