/** A policy whose weights are on a trainer: it samples, scores and learns over the Tinker protocol. */
import { checkOptions, may } from "../../base/options.ts";
import { randomBytes } from "node:crypto";
import { errorCode } from "../../base/index.ts";
import type { JsonObject } from "../local/config-file.ts";
import type { Learner, Policy, Scorer } from "../policy.ts";
import { connectTinker, type TinkerClient, type TinkerClientOptions } from "./client.ts";
import { openConversation } from "./conversation.ts";
import { coarseWords, type HeldType } from "./held-type.ts";
import { readRemoteCheckpoint, writeRemoteCheckpoint } from "./remote-checkpoint.ts";
import { createRemoteLearner } from "./remote-learner.ts";
import { scoreByForward, scoreByPrompt } from "./remote-scorer.ts";
import { topByPrompt } from "./remote-top.ts";
import type { SamplingClient } from "./sampling-client.ts";
import { chooseModel } from "./server-profile.ts";
import type { TrainingClient } from "./training-client.ts";
import { probeTraining, type TrainingProfile } from "./training-probe.ts";

export interface TinkerPolicyOptions extends TinkerClientOptions {
  /** Which of the server's base models. Default: the only one. */
  readonly baseModel?: string | undefined;
  /** Rank of the adapter; 0 for the full weights. Default: full weights where the server has them, else 32. */
  readonly rank?: number | undefined;
  /** Of the adapter's first weights. */
  readonly seed?: number | undefined;
  /** Of the tokenizer and model that the server serves; the protocol does not tell them. */
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Of the base model, where it is known; for servers that do not tell how they hold the settings of a step. */
  readonly weightsType?: HeldType | undefined;
  /** How the server trains, where it is known. Default: measured at connect. */
  readonly training?: TrainingProfile | undefined;
}

export interface TinkerPolicy extends Policy, Scorer, Learner {
  readonly client: TinkerClient;
  readonly baseModel: string;
  readonly rank: number;
  readonly training: TrainingProfile;
  /** The base model, which is the policy before its first step. It speaks and scores. */
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
 * import { bundledModel } from "limbeck/policy/local";
 * import { startTrainer } from "limbeck/tinker-server";
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

function assemble(client: TinkerClient, first: TrainingClient, parts: Parts): TinkerPolicy {
  const { baseModel, rank, training, onNotice, vocabularySize, contextLength } = parts;
  const { candidates } = client.profile;
  const limits = { vocabularySize, contextLength, candidates, concurrency: client.concurrency };
  let model = first;
  /** Counts changes of the weights; `shift` makes the version of it. */
  let changes = 0;
  let shift = 0;
  let progress: JsonObject = {};
  let sampler: { readonly changes: number; readonly client: Promise<SamplingClient> } | undefined;
  let base: Promise<SamplingClient> | undefined;
  const learner = createRemoteLearner({ limits, training: () => model, profile: () => training, onNotice });
  const scorer = scoreByForward(() => model, limits);
  const version = (): number => changes + shift;

  const publish = (): Promise<string> => model.saveForSampler(freshName(version()));
  // A version that stays on the trainer takes room there and nothing else.
  const forget = (path: string): Promise<void> => client.checkpoints.remove(path).catch(() => undefined);

  /** One save for all conversations that speak with the same weights. It is nobody's to cancel. */
  const newest = async (): Promise<{ readonly client: SamplingClient; readonly version: number }> => {
    if (sampler?.changes !== changes) {
      const made = model.sampler().then((id) => client.samplesOf(id));
      sampler = { changes, client: made };
      made.catch(() => (sampler = undefined));
    }
    const named = version();
    return { client: await sampler.client, version: named };
  };
  const speech = { ...limits, extension: client.profile.extension, sampler: () => newest() };
  const frozen = (): Promise<SamplingClient> => {
    base ??= client.openSamples({ baseModel });
    base.catch(() => (base = undefined));
    return base;
  };
  /** The likeliest words, where the server tells them as candidates: what it cannot learn from is of no use. */
  const likeliest = (samples: () => Promise<SamplingClient>): Pick<Scorer, "topTokens"> =>
    candidates === 0 ? {} : { topTokens: async (rows, asked) => topByPrompt(await samples(), limits, rows, asked) };
  const startSpeech = { ...speech, sampler: async () => ({ client: await frozen(), version: 0 }) };
  const start: Policy & Scorer = {
    ...scoreByPrompt(frozen, limits),
    inFlight: SCORES_IN_FLIGHT,
    ...likeliest(frozen),
    ref: { name: baseModel, version: 0 },
    concurrency: client.concurrency,
    open: (conversation) => openConversation(startSpeech, conversation),
    close: () => Promise.resolve(),
  };

  return {
    client,
    baseModel,
    rank,
    training,
    start,
    concurrency: client.concurrency,
    statistics: learner.statistics,
    get ref() {
      return { name: parts.baseModel, version: version() };
    },
    get progress() {
      return progress;
    },
    open: (conversation) => openConversation(speech, conversation),
    score: (rows, scoreOptions) => scorer.score(rows, scoreOptions),
    ...likeliest(async () => (await newest()).client),
    inFlight: SCORES_IN_FLIGHT,
    backward: (rows, objective, backwardOptions) => learner.backward(rows, objective, backwardOptions),
    step: async (stepOptions) => {
      const report = await learner.step(stepOptions);
      changes += 1;
      return report;
    },
    discard: () => learner.discard(),
    save: async (folder, { progress: given } = {}) => {
      learner.checkWhole();
      // A checkpoint that gives no numbers would take the place of one that does.
      await scorer.score([{ ids: Int32Array.of(0, 0) }]);
      progress = given ?? progress;
      // Where there is none, or another thing, nothing of it is removed below.
      const before = await readRemoteCheckpoint(folder).catch(() => undefined);
      const path = await model.saveWeights(freshName(version()));
      const { address } = client.http;
      const { steps } = learner;
      await writeRemoteCheckpoint(folder, {
        trainer: address,
        path,
        baseModel,
        rank,
        version: version(),
        steps,
        progress,
      });
      // Two checkpoints of one folder would fill the trainer's disk; the old one is of no use once the new one is named.
      if (before?.trainer === address && before.path !== path) {
        await client.checkpoints.remove(before.path).catch(() => undefined);
      }
    },
    load: async (folder) => {
      const saved = await readRemoteCheckpoint(folder, { baseModel, rank });
      // A trainer loads only into a model that has done nothing yet.
      const fresh = await client.createModel({ baseModel, rank, seed: parts.seed });
      await fresh.loadWeights(saved.path);
      const old = model;
      model = fresh;
      learner.restart(saved.steps);
      changes += 1;
      shift = saved.version - changes;
      progress = saved.progress;
      await forgive(old.unload());
    },
    publish,
    hold: async () => {
      const named = version();
      const path = await publish();
      const held = { client: await client.openSamples({ path }), version: named };
      const heldSpeech = { ...speech, sampler: () => Promise.resolve(held) };
      return {
        ref: { name: baseModel, version: named },
        concurrency: client.concurrency,
        open: (conversation) => openConversation(heldSpeech, conversation),
        close: () => forget(path),
      };
    },
    forget,
    download: async (folder, signal) => {
      const path = await model.saveForSampler(freshName(version()), signal);
      try {
        return await client.checkpoints.download(path, folder, signal);
      } finally {
        // As `forget` above.
        await client.checkpoints.remove(path).catch(() => undefined);
      }
    },
    close: async () => {
      await forgive(model.unload());
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

/** Tidying up may find the trainer gone; that is told by the work, not here. */
async function forgive(tidying: Promise<void>): Promise<void> {
  await tidying.catch((error: unknown) => {
    if (!(errorCode(error) ?? "").startsWith("trainer-")) throw error;
  });
}

function freshName(version: number): string {
  return `v${version}-${randomBytes(4).toString("hex")}`;
}
