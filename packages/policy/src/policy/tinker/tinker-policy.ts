/** A policy whose weights are on a trainer: it samples, scores and learns over the Tinker protocol. */
import { checkOptions, may } from "limbeck-base/base/options";
import { randomBytes } from "node:crypto";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import { replaceFile } from "limbeck-base/base/files";
import type { JsonObject } from "../local/config-file.ts";
import type { Learner, Policy, Scorer } from "../policy.ts";
import { chooseModel, connectTinker, type TinkerClient, type TinkerClientOptions } from "./client.ts";
import { openConversation, type SpeechOptions } from "./conversation.ts";
import { coarseWords, probeTraining, type HeldType, type TrainingProfile } from "./training-probe.ts";
import { createRemoteLearner } from "./remote-learner.ts";
import { scoreByForward, scoreByPrompt, topByPrompt } from "./remote-scorer.ts";
import type { SamplingClient } from "./sampling-client.ts";
import type { TrainingClient } from "./training-client.ts";
import { join } from "node:path";
import { z } from "zod";
import { removeLeft, writingBeside } from "limbeck-base/base/writing-names";
import { plainText } from "limbeck-base/base/plain-file";

export interface TinkerPolicyOptions extends TinkerClientOptions {
  /** Which of the server's base models. Default: the only one. */
  readonly baseModel?: string | undefined;
  /** Rank of the adapter; 0 for the full weights. Default: full weights where the server has them, else 32. */
  readonly rank?: number | undefined;
  /** Of the adapter's first weights. */
  readonly seed?: number | undefined;
  /** Of the tokenizer and model that the server serves; the protocol does not report them. */
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Of the base model, where it is known; for servers that do not report how they hold the settings of a step. */
  readonly weightsType?: HeldType | undefined;
  /** How the server trains, where it is known. Default: measured at connect. */
  readonly training?: TrainingProfile | undefined;
}

export interface TinkerPolicy extends Policy, Scorer, Learner {
  readonly client: TinkerClient;
  readonly baseModel: string;
  readonly rank: number;
  readonly training: TrainingProfile;
  /** The base model, which is the policy before its first step. It samples and scores. */
  readonly start: Policy & Scorer;
  /** What was saved beside the last checkpoint that was loaded. */
  readonly progress: JsonObject;
  save(folder: string, options?: { readonly progress?: JsonObject }): Promise<void>;
  /** Speaks with the weights as they are now, whatever is learned later; `close` gives them up. */
  hold(): Promise<HeldPolicy>;
  /** The present weights under a path that other clients of the trainer may sample from, until it is forgotten. */
  publish(): Promise<string>;
  forget(path: string): Promise<void>;
  /** The weights as files: a model folder, or an adapter in the layout of PEFT. */
  download(folder: string, signal?: AbortSignal): Promise<string[]>;
}

/** A version of a policy that stays as it is. */
export type HeldPolicy = Policy & { close(): Promise<void> };

const DEFAULT_RANK = 32;
/** While the server reads some sequences, the next ones are made here and the answers of others are read. */
const SCORES_IN_FLIGHT = 4;

/**
 * A model on a trainer as a policy that samples, scores and learns.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel } from "limbeck/local";
 * import { startTrainer } from "limbeck/serve";
 *
 * const checkpoints = await mkdtemp(join(tmpdir(), "trainer-"));
 * const trainer = await startTrainer({ model: bundledModel("countdown"), checkpoints });
 * // Without `training` the trainer is measured first, which takes some seconds.
 * const training = { lossScale: "sum", measured: true, ignored: [] } as const;
 * const policy = await openTinkerPolicy({ url: trainer.url, vocabularySize: 1024, contextLength: 2048, rank: 2, training });
 * const conversation = policy.open({ seed: 1 });
 * conversation.extend([1, 2, 3]);
 * console.log((await conversation.sample({ maxTokens: 2 })).ids.length); // 2
 * await policy.close();
 * await trainer.close();
 * await rm(checkpoints, { recursive: true });
 */
export async function openTinkerPolicy(options: TinkerPolicyOptions): Promise<TinkerPolicy> {
  checkOptions("openTinkerPolicy", options, { rank: may.whole, seed: may.whole });
  const { onNotice = () => undefined, signal } = options;
  const client = await connectTinker(options);
  try {
    const baseModel = chooseModel(client.profile, options.baseModel, client.http.address);
    const rank = options.rank ?? (client.profile.fullWeights ? 0 : DEFAULT_RANK);
    const request = { baseModel, rank, seed: options.seed };
    const training = options.training ?? (await measure(client, request, options));
    if (!training.measured && options.training === undefined) {
      onNotice(
        'The trainer reports no gradient norm, so how it scales losses could not be measured; "sum" is assumed.',
      );
    }
    const coarse = coarseWords(training.held);
    if (coarse !== undefined) onNotice(coarse);
    const model = await client.createModel(request, signal);
    return assemble(client, model, { ...options, ...request, onNotice, training });
  } catch (error) {
    client.close();
    throw error;
  }
}

interface Parts extends TinkerPolicyOptions {
  readonly baseModel: string;
  readonly rank: number;
  readonly onNotice: (message: string) => void;
  readonly training: TrainingProfile;
}

/** The weights on the trainer: the model that learns, its versions, and what is sampled from. */
class RemoteWeights {
  readonly client: TinkerClient;
  readonly parts: Parts;
  model: TrainingClient;
  progress: JsonObject = {};
  /** Counts changes of the weights; `#shift` makes the version of it. */
  #changes = 0;
  #shift = 0;
  #sampler: { readonly changes: number; readonly client: Promise<SamplingClient> } | undefined;
  #base: Promise<SamplingClient> | undefined;

  constructor(client: TinkerClient, model: TrainingClient, parts: Parts) {
    this.client = client;
    this.model = model;
    this.parts = parts;
  }

  get version(): number {
    return this.#changes + this.#shift;
  }

  changed(): void {
    this.#changes += 1;
  }

  publish(): Promise<string> {
    return this.model.saveForSampler(freshName(this.version));
  }

  async forget(path: string): Promise<void> {
    // A version that stays on the trainer takes room there and nothing else.
    await this.client.checkpoints.remove(path).catch(() => undefined);
  }

  /** One save for all conversations that sample from the same weights. No single one of them may cancel it. */
  async newest(): Promise<{ readonly client: SamplingClient; readonly version: number }> {
    if (this.#sampler?.changes !== this.#changes) {
      const made = this.model.sampler().then((id) => this.client.samplesOf(id));
      this.#sampler = { changes: this.#changes, client: made };
      made.catch(() => (this.#sampler = undefined));
    }
    const { version } = this;
    return { client: await this.#sampler.client, version };
  }

  base(): Promise<SamplingClient> {
    this.#base ??= this.client.openSamples({ baseModel: this.parts.baseModel });
    this.#base.catch(() => (this.#base = undefined));
    return this.#base;
  }

  async save(folder: string, steps: number, progress: JsonObject | undefined): Promise<void> {
    this.progress = progress ?? this.progress;
    // Where there is none, or another thing, nothing of it is removed below.
    const before = await readRemoteCheckpoint(folder).catch(() => undefined);
    const { version } = this;
    const path = await this.model.saveWeights(freshName(version));
    const { baseModel, rank } = this.parts;
    const { address: trainer } = this.client.http;
    await writeRemoteCheckpoint(folder, { trainer, path, baseModel, rank, version, steps, progress: this.progress });
    // Two checkpoints of one folder would fill the trainer's disk; the old one is of no use once the new one is named.
    if (before?.trainer === trainer && before.path !== path) await this.forget(before.path);
  }

  /** Gives the steps that were made. */
  async load(folder: string, restart: (steps: number) => void): Promise<void> {
    const { baseModel, rank, seed } = this.parts;
    const saved = await readRemoteCheckpoint(folder, { baseModel, rank });
    // A trainer loads only into a model that has done nothing yet.
    const fresh = await this.client.createModel({ baseModel, rank, seed });
    await fresh.loadWeights(saved.path);
    const old = this.model;
    this.model = fresh;
    restart(saved.steps);
    this.#changes += 1;
    this.#shift = saved.version - this.#changes;
    this.progress = saved.progress;
    await forgive(old.unload());
  }

  async download(folder: string, signal?: AbortSignal): Promise<string[]> {
    const path = await this.model.saveForSampler(freshName(this.version), signal);
    try {
      return await this.client.checkpoints.download(path, folder, signal);
    } finally {
      await this.forget(path);
    }
  }
}

function assemble(client: TinkerClient, first: TrainingClient, parts: Parts): TinkerPolicy {
  const { baseModel, rank, training, onNotice, vocabularySize, contextLength } = parts;
  const { concurrency } = client;
  const { candidates, extension } = client.profile;
  const limits = { vocabularySize, contextLength, candidates, concurrency };
  const weights = new RemoteWeights(client, first, parts);
  const learner = createRemoteLearner({ limits, training: () => weights.model, profile: () => training, onNotice });
  const scorer = scoreByForward(() => weights.model, limits);
  /** The likeliest tokens, where the server sends them as candidates: what it cannot learn from is of no use. */
  const likeliest = (samples: () => Promise<SamplingClient>): Pick<Scorer, "topTokens"> =>
    candidates === 0 ? {} : { topTokens: async (rows, asked) => topByPrompt(await samples(), limits, rows, asked) };
  const policyOf = (ref: Policy["ref"], sampler: SpeechOptions["sampler"], close: Policy["close"]): Policy => ({
    ref,
    concurrency,
    open: (conversation) => openConversation({ ...limits, extension, sampler }, conversation),
    close,
  });
  const baseSampler = async (): ReturnType<SpeechOptions["sampler"]> => ({ client: await weights.base(), version: 0 });
  const speech = { ...limits, extension, sampler: () => weights.newest() };
  return {
    client,
    baseModel,
    rank,
    training,
    start: {
      ...policyOf({ name: baseModel, version: 0 }, baseSampler, () => Promise.resolve()),
      ...scoreByPrompt(() => weights.base(), limits),
      ...likeliest(() => weights.base()),
      inFlight: SCORES_IN_FLIGHT,
    },
    concurrency,
    statistics: learner.statistics,
    get ref() {
      return { name: baseModel, version: weights.version };
    },
    get progress() {
      return weights.progress;
    },
    open: (conversation) => openConversation(speech, conversation),
    score: (rows, scoreOptions) => scorer.score(rows, scoreOptions),
    ...likeliest(async () => (await weights.newest()).client),
    inFlight: SCORES_IN_FLIGHT,
    backward: (rows, objective, backwardOptions) => learner.backward(rows, objective, backwardOptions),
    step: async (stepOptions) => {
      const report = await learner.step(stepOptions);
      weights.changed();
      return report;
    },
    discard: () => learner.discard(),
    save: async (folder, { progress } = {}) => {
      learner.checkWhole();
      // A checkpoint that gives no numbers would take the place of one that does.
      await scorer.score([{ ids: Int32Array.of(0, 0) }]);
      await weights.save(folder, learner.steps, progress);
    },
    load: (folder) => weights.load(folder, (steps) => learner.restart(steps)),
    publish: () => weights.publish(),
    hold: async () => {
      const { version } = weights;
      const path = await weights.publish();
      const held = { client: await client.openSamples({ path }), version };
      return policyOf(
        { name: baseModel, version },
        () => Promise.resolve(held),
        () => weights.forget(path),
      );
    },
    forget: (path) => weights.forget(path),
    download: (folder, signal) => weights.download(folder, signal),
    close: async () => {
      await forgive(weights.model.unload());
      client.close();
    },
  };
}

/** On a model of its own, which is gone afterwards. */
async function measure(
  client: TinkerClient,
  request: { readonly baseModel: string; readonly rank: number },
  { vocabularySize, weightsType, signal }: TinkerPolicyOptions,
): Promise<TrainingProfile> {
  const scratch = await client.createModel({ ...request, seed: 0 }, signal);
  try {
    return await probeTraining(scratch, { vocabularySize, weightsType, signal });
  } finally {
    await forgive(scratch.unload());
  }
}

/** Tidying up may find the trainer gone; that is an error of the work, not of this. */
async function forgive(tidying: Promise<void>): Promise<void> {
  await tidying.catch((error: unknown) => {
    if (!(errorCode(error) ?? "").startsWith("trainer-")) throw error;
  });
}

function freshName(version: number): string {
  return `v${version}-${randomBytes(4).toString("hex")}`;
}

// A checkpoint on a trainer, as a small file here that says where it is and what belongs to it.

const REMOTE_FILE = "tinker.json";

interface RemoteCheckpointFile {
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
async function writeRemoteCheckpoint(folder: string, checkpoint: RemoteCheckpointFile): Promise<void> {
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
  const text = await plainText(file).catch((cause: unknown) => {
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
