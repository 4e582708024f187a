/** Models that were asked lately: the bundled one and those beside runs. Loaded when first asked for, few at a time. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { statIfThere } from "limbeck-base/base/files";
import { EngineError } from "limbeck-base/base/errors";
import { KeptOpen } from "limbeck-base/base/recent";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";

export interface OpenedModel {
  readonly model: LocalModel;
  readonly dialect: Dialect;
}

export interface ModelShelf {
  /** "bundled:WORLD", "run:ID" for the newest checkpoint of a run, or "own:NUMBER" for a folder the server was given. */
  use<T>(policy: string, work: (opened: OpenedModel) => Promise<T>): Promise<T>;
  /** Throws "no-model" where there is none of this name. */
  check(policy: string): Promise<void>;
  close(): Promise<void>;
}

const KEPT = 2;
/** The studio must not take the processors of a training beside it. */
const THREADS = 1;

export interface Shelves {
  /** The folder of runs. */
  readonly root: string;
  /** Folders of models from the server's options. */
  readonly own: readonly string[];
}

export function createModelShelf(shelves: Shelves): ModelShelf {
  const kept = new KeptOpen<OpenedModel>(KEPT, ({ model }) => model.close());
  const versions = new Map<string, string>();
  return {
    use: async (policy, work) => {
      const folder = await folderOf(shelves, policy);
      const version = await versionOf(folder, policy);
      // A training may have saved a newer checkpoint since.
      if (versions.get(policy) !== version) await kept.drop(policy);
      versions.set(policy, version);
      return await kept.use(policy, () => openModelAt(folder), work);
    },
    check: async (policy) => void (await versionOf(await folderOf(shelves, policy), policy)),
    close: () => kept.close(),
  };
}

async function openModelAt(folder: string): Promise<OpenedModel> {
  const { createChatDialect } = await import("limbeck-policy/policy/local/chat-dialect");
  const { openModel, requireTokenizer } = await import("limbeck-policy/policy/local/open-model");
  const model = await openModel(folder, { threads: THREADS, resume: true });
  try {
    return { model, dialect: await createChatDialect(requireTokenizer(model)) };
  } catch (error) {
    await model.close();
    throw error;
  }
}

async function folderOf({ root, own }: Shelves, policy: string): Promise<string> {
  const bundled = (await import("limbeck-policy/policy/local/bundled-model")).bundledFolder(policy);
  if (bundled !== undefined) return bundled;
  const given = own[Number(/^own:(\d{1,3})$/.exec(policy)?.[1] ?? Number.NaN)];
  if (given !== undefined) return given;
  const run = /^run:([A-Za-z0-9_-][A-Za-z0-9._-]{0,99})$/.exec(policy)?.[1];
  if (run === undefined) {
    throw new EngineError(
      "no-model",
      `There is no policy "${policy}"; use "bundled:WORLD", "run:ID" of a training, or a model that the studio was started with (--model DIR).`,
    );
  }
  return join(root, run, "model");
}

async function versionOf(folder: string, policy: string): Promise<string> {
  const found = await statIfThere(join(folder, "config.json"));
  if (found === undefined) {
    throw new EngineError(
      "no-model",
      `There is no model for "${policy}"; a training saves one with its first checkpoint.`,
    );
  }
  const saved = await stat(folder);
  return `${found.mtimeMs} ${saved.mtimeMs}`;
}
