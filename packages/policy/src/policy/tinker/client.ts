/** A connection to a trainer: what it serves, a session that is kept alive, and clients for models, samples and checkpoints. */
import { checkOptions, may } from "limbeck-base/base/options";
import { createSlots } from "../chat/retry.ts";
import { createCheckpointClient, type CheckpointClient } from "./checkpoint-client.ts";
import type { ChunkLimits } from "./datum.ts";
import { retrieve } from "./future.ts";
import { createHttp, type TinkerAddress, type TinkerHttp, type TinkerHttpOptions } from "./http.ts";
import { createSamplingClient, type SamplingClient } from "./sampling-client.ts";
import { createTrainingClient, type TrainingClient } from "./training-client.ts";
import {
  capabilitiesSchema,
  clientConfigSchema,
  createdModelSchema,
  madeModelSchema,
  readAs,
  samplingSessionSchema,
  sessionSchema,
} from "./wire.ts";
import { EngineError, errorCode, errorData } from "limbeck-base/base/errors";

export interface TinkerClientOptions extends TinkerAddress, TinkerHttpOptions, SessionOptions {
  /** Samples in flight, at most what the server allows. Default: that, up to 256; 64 where it reports none. */
  readonly concurrency?: number;
  readonly limits?: ChunkLimits;
}

export const TINKER_CHECKS = {
  concurrency: may.count,
  attempts: may.count,
  busyAttempts: may.whole,
  timeoutMs: may.positive,
} as const;

export interface ModelRequest {
  readonly baseModel: string;
  /** Of the adapter; 0 asks for the full weights, where the server has that. */
  readonly rank: number;
  readonly seed?: number | undefined;
}

export interface TinkerClient {
  readonly http: TinkerHttp;
  readonly session: TinkerSession;
  readonly profile: ServerProfile;
  /** Samples that are in flight at most. */
  readonly concurrency: number;
  readonly checkpoints: CheckpointClient;
  createModel(request: ModelRequest, signal?: AbortSignal): Promise<TrainingClient>;
  /** Samples from a session that `TrainingClient.sampler` named. */
  samplesOf(sessionId: string): SamplingClient;
  /** Samples from the base model, or from weights that were saved to be sampled from. */
  openSamples(
    source: { readonly baseModel: string } | { readonly path: string },
    signal?: AbortSignal,
  ): Promise<SamplingClient>;
  /** The result of work that was handed in earlier, perhaps by another process. */
  result(requestId: string, signal?: AbortSignal): Promise<unknown>;
  /** Stops the signs of life; the server forgets the session in its own time. */
  close(): void;
}

/**
 * Asks the server what it is and opens a session, which is kept alive until `close`.
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
 * const client = await connectTinker({ url: trainer.url });
 * console.log(client.profile.kind); // limbeck
 * client.close();
 * await trainer.close();
 * await rm(checkpoints, { recursive: true });
 */
export async function connectTinker(options: TinkerClientOptions): Promise<TinkerClient> {
  checkOptions("connectTinker", options, TINKER_CHECKS);
  const http = createHttp(options, options);
  const profile = await readProfile(http, options.signal);
  const session = await openSession(http, options);
  const { limits: served } = profile;
  const limits: ChunkLimits = { datums: served.datums, bytes: served.bytes, packed: profile.packed, ...options.limits };
  const allowed = served.concurrency ?? Number.MAX_SAFE_INTEGER;
  const concurrency = Math.min(options.concurrency ?? Math.min(served.concurrency ?? 64, 256), allowed);
  const slots = createSlots(concurrency);
  let samplers = 0;
  let models = 0;
  return {
    http,
    session,
    profile,
    concurrency,
    checkpoints: createCheckpointClient(http),
    createModel: async ({ baseModel, rank, seed }, signal) => {
      models += 1;
      const body = {
        session_id: session.id,
        base_model: baseModel,
        model_seq_id: models,
        lora_config: { rank, ...(seed === undefined ? {} : { seed }) },
        type: "create_model",
      };
      const what = `create_model of "${baseModel}"`;
      const answer = await http.json("/api/v1/create_model", { body, what, signal });
      const { request_id, model_id } = readAs(createdModelSchema, answer, what);
      readAs(madeModelSchema, await retrieve(http, request_id, { what, signal }), what);
      return createTrainingClient(http, model_id, limits);
    },
    samplesOf: (sessionId) => createSamplingClient(http, sessionId, slots, profile.packed),
    openSamples: async (source, signal) => {
      samplers += 1;
      const what = "create_sampling_session";
      const from = "path" in source ? { model_path: source.path } : { base_model: source.baseModel };
      const body = { session_id: session.id, sampling_session_seq_id: samplers, type: what, ...from };
      const answer = readAs(samplingSessionSchema, await http.json(`/api/v1/${what}`, { body, what, signal }), what);
      return createSamplingClient(http, answer.sampling_session_id, slots, profile.packed);
    },
    result: (requestId, signal) => retrieve(http, requestId, { what: `the work ${requestId}`, signal }),
    close: () => session.close(),
  };
}

// A session on a trainer. Models live as long as it does, so it is kept alive in the background.

export interface TinkerSession {
  readonly id: string;
  close(): void;
}

interface SessionOptions {
  /** Between two signs of life. Default: 10 s. */
  readonly heartbeatMs?: number;
  readonly tags?: readonly string[];
  readonly onNotice?: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The version of the official client whose JSON form is used here. */
const SDK_VERSION = "0.24.1";
/** Silence after which there is a notice. */
const COMPLAIN_MS = 120_000;

export async function openSession(http: TinkerHttp, options: SessionOptions = {}): Promise<TinkerSession> {
  const { heartbeatMs = 10_000, tags = ["limbeck"], onNotice = () => undefined, signal } = options;
  const body = { tags, user_metadata: null, sdk_version: SDK_VERSION, type: "create_session" };
  const what = "create_session";
  const session = readAs(sessionSchema, await http.json(`/api/v1/${what}`, { body, what, signal }), what);
  for (const message of [session.info_message, session.warning_message, session.error_message]) {
    if (message !== null && message !== undefined && message !== "") onNotice(`The trainer says: ${message}`);
  }
  let heard = http.clock.now();
  let complained = false;
  let busy = false;
  const beat = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      await http.json("/api/v1/session_heartbeat", {
        body: { session_id: session.session_id, type: "session_heartbeat" },
        what: "session_heartbeat",
        attempts: 1,
      });
      heard = http.clock.now();
      complained = false;
    } catch (error) {
      if (!complained && http.clock.now() - heard >= COMPLAIN_MS) {
        complained = true;
        onNotice(`The trainer has not answered for ${COMPLAIN_MS / 1_000} s: ${errorData(error).message}`);
      }
    } finally {
      busy = false;
    }
  };
  // The first one at once: a server may count a session's age from its last sign of life.
  await beat();
  const timer = setInterval(() => void beat(), heartbeatMs);
  timer.unref();
  return { id: session.session_id, close: () => clearInterval(timer) };
}

// What kind of server answers, and what it says of itself. What it does not say is measured; see `training-probe.ts`.

export interface ServerProfile {
  /** "limbeck" is `limbeck trainer`, "skyrl" SkyRL's open-source server. */
  readonly kind: "limbeck" | "skyrl" | "other";
  /** Base models that it serves. */
  readonly models: readonly string[];
  /** Whether it understands `SampleExtension`. */
  readonly extension: boolean;
  /** Whether rank 0 trains the full weights; false: only adapters, as far as is known. */
  readonly fullWeights: boolean;
  /** Words beside the sampled one that it scores and learns from at each token; 0: the protocol's one word only. */
  readonly candidates: number;
  /** Whether rows and prompts may be sent as packed arrays. */
  readonly packed: boolean;
  readonly limits: { readonly datums?: number; readonly bytes?: number; readonly concurrency?: number };
}

export async function readProfile(http: TinkerHttp, signal?: AbortSignal): Promise<ServerProfile> {
  const what = "get_server_capabilities";
  const told = await http.json(`/api/v1/${what}`, { method: "GET", what, signal });
  const { supported_models } = readAs(capabilitiesSchema, told, what);
  const config = readAs(
    clientConfigSchema,
    await optional(
      http.json("/api/v1/client/config", { body: { sdk_version: SDK_VERSION }, what: "client/config", signal }),
    ),
    "client/config",
  );
  const root = await optional(http.json("/", { method: "GET", what: "the server's root", signal }));
  const { name } = root as { readonly name?: unknown };
  const { limbeck } = config;
  const limits = {
    datums: config.fwdbwd_max_chunk_len ?? undefined,
    bytes: config.fwdbwd_max_chunk_bytes_count ?? undefined,
    concurrency: config.sample_max_concurrent_requests ?? undefined,
  };
  return {
    kind: limbeck !== null && limbeck !== undefined ? "limbeck" : name === "Tinker API Mock" ? "skyrl" : "other",
    models: supported_models.flatMap(({ model_name }) => (typeof model_name === "string" ? [model_name] : [])),
    extension: (limbeck?.extension ?? 0) >= 1,
    fullWeights: limbeck?.full_weights ?? false,
    candidates: limbeck?.candidates ?? 0,
    packed: (limbeck?.packed ?? 0) >= 1,
    limits: Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)),
  };
}

/** The base model to train: the one asked for, or the only one there is. */
export function chooseModel({ models }: ServerProfile, wanted: string | undefined, address: string): string {
  const served = models.length === 0 ? "none" : models.map((name) => `"${name}"`).join(", ");
  if (wanted !== undefined) {
    if (models.includes(wanted)) return wanted;
    throw new EngineError(
      "trainer-lacks-model",
      `The trainer at ${address} does not serve the base model "${wanted}". It serves: ${served}. Name one of those, or start the trainer with that model.`,
      { details: { wanted, served: [...models] } },
    );
  }
  const [only, ...more] = models;
  if (only !== undefined && more.length === 0) return only;
  throw new EngineError(
    "trainer-lacks-model",
    `The trainer at ${address} serves ${models.length} base models (${served}); say which one with --base-model.`,
    { details: { served: [...models] } },
  );
}

/** Parts of the protocol that a server may lack. */
async function optional(asked: Promise<unknown>): Promise<unknown> {
  try {
    return (await asked) ?? {};
  } catch (error) {
    if (["trainer-missing", "trainer-refused", "trainer-bad-response"].includes(errorCode(error) ?? "")) return {};
    throw error;
  }
}
