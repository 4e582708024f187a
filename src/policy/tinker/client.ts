/** A connection to a trainer: what it serves, a session that is kept alive, and clients for models, samples and checkpoints. */
import { checkOptions, may } from "../../base/options.ts";
import { createSlots } from "../chat/slots.ts";
import { createCheckpointClient, type CheckpointClient } from "./checkpoint-client.ts";
import type { ChunkLimits } from "./chunks.ts";
import { retrieve } from "./future.ts";
import { createHttp, type TinkerAddress, type TinkerHttp, type TinkerHttpOptions } from "./http.ts";
import { createSamplingClient, type SamplingClient } from "./sampling-client.ts";
import { readProfile, type ServerProfile } from "./server-profile.ts";
import { openSession, type SessionOptions, type TinkerSession } from "./session.ts";
import { createTrainingClient, type TrainingClient } from "./training-client.ts";
import { createdModelSchema, madeModelSchema, readAs, samplingSessionSchema } from "./wire.ts";

export interface TinkerClientOptions extends TinkerAddress, TinkerHttpOptions, SessionOptions {
  /** Samples in flight, at most what the server allows. Default: that, up to 256; 64 where it does not tell. */
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
 * import { bundledModel } from "limbeck/policy/local";
 * import { startTrainer } from "limbeck/tinker-server";
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
