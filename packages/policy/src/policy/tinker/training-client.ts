/**
 * One model on a trainer. Requests are handed in strictly in order, each with its number, so that one whose answer was lost
 * can be repeated without being done twice; their results are waited for side by side.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { mergeOutputs, splitDatums, type Chunk, type ChunkLimits, type ForwardOutput } from "./datum.ts";
import { createQueue } from "../queue.ts";
import { perform, retrieve, submit } from "./future.ts";
import type { TinkerHttp } from "./http.ts";
import {
  forwardSchema,
  readAs,
  samplerSchema,
  savedSchema,
  steppedSchema,
  type AdamParams,
  type Datum,
  type ForwardAnswer,
  type LossName,
} from "./wire.ts";

export interface LossOptions {
  readonly loss?: LossName;
  /** Thresholds of ppo and cispo: bounds of the ratio itself, not distances from 1. */
  readonly config?: Readonly<Record<string, number>>;
  readonly signal?: AbortSignal | undefined;
}

export interface TrainingClient {
  readonly modelId: string;
  /** Losses and log-probabilities, no gradients. */
  forward(data: Iterable<Datum>, options?: LossOptions): Promise<ForwardOutput>;
  /** The same, and gradients add up until the next step. Datums are taken as they are sent, so they may be made on the way. */
  forwardBackward(data: Iterable<Datum>, options?: LossOptions): Promise<ForwardOutput>;
  optimStep(adam: AdamParams, signal?: AbortSignal): Promise<Readonly<Record<string, number>>>;
  /** Weights and optimiser; the path is `tinker://MODEL/weights/NAME`. */
  saveWeights(name: string, signal?: AbortSignal): Promise<string>;
  /** Only as the model's first request. */
  loadWeights(path: string, options?: { readonly optimizer?: boolean; readonly signal?: AbortSignal }): Promise<void>;
  /** To keep: the path is `tinker://MODEL/sampler_weights/NAME`. */
  saveForSampler(name: string, signal?: AbortSignal): Promise<string>;
  /** To sample from now: the id of a sampling session. */
  sampler(signal?: AbortSignal): Promise<string>;
  unload(signal?: AbortSignal): Promise<void>;
}

const SAMPLER = "save_weights_for_sampler";

export function createTrainingClient(http: TinkerHttp, modelId: string, limits: ChunkLimits = {}): TrainingClient {
  let sequence = 0;
  let samplers = 0;
  const inTurn = createQueue();

  /** Handed in after everything before; the result is waited for without holding up what follows. */
  const ordered = async (what: string, body: object, signal: AbortSignal | undefined): Promise<unknown> => {
    sequence += 1;
    const work = { path: `/api/v1/${what}`, body: { model_id: modelId, ...body, seq_id: sequence }, what, signal };
    return await retrieve(http, await inTurn(() => submit(http, work)), work);
  };

  const passes = async (
    path: "forward" | "forward_backward",
    data: Iterable<Datum>,
    { loss = "cross_entropy", config, signal }: LossOptions,
  ): Promise<ForwardOutput> => {
    const hand = async ({ sent }: Chunk): Promise<ForwardAnswer> => {
      const given = {
        data: sent,
        loss_fn: loss,
        ...(config === undefined ? {} : { loss_fn_config: config }),
        ...(limits.packed === true ? { limbeck: { packed: true } } : {}),
      };
      const answer = await ordered(path, { [`${path}_input`]: given }, signal);
      return readAs(forwardSchema, answer, path);
    };
    const chunks: Chunk[] = [];
    const outputs: Promise<ForwardAnswer>[] = [];
    // A server that is not ours is sent nothing of a batch that has a fault; ours takes a batch in parts as it is made.
    for (const chunk of splitDatums(limits.packed === true ? checked(data) : [...checked(data)], limits)) {
      chunks.push(chunk);
      const output = hand(chunk);
      // It is looked at when all are there.
      output.catch(() => undefined);
      outputs.push(output);
      // The request is on its way before the next one is made.
      await nextTurn();
    }
    if (chunks.length === 0) throw new EngineError("empty-batch", "There is no datum to send.");
    return mergeOutputs(chunks, await Promise.all(outputs));
  };

  /** One request of a kind, numbered. */
  const call = <T>(what: string, schema: z.ZodType<T>, body: object, signal?: AbortSignal): Promise<T> =>
    ordered(what, body, signal).then((answer) => readAs(schema, answer, what));

  return {
    modelId,
    forward: (data, options = {}) => passes("forward", data, options),
    forwardBackward: (data, options = {}) => passes("forward_backward", data, options),
    optimStep: async (adam, signal) =>
      (await call("optim_step", steppedSchema, { adam_params: adam }, signal)).metrics ?? {},
    saveWeights: async (name, signal) =>
      threeParts((await call("save_weights", savedSchema, { path: name }, signal)).path, "weights"),
    loadWeights: async (path, { optimizer = true, signal } = {}) => {
      await call("load_weights", z.unknown(), { path, optimizer }, signal);
    },
    saveForSampler: async (name, signal) =>
      threeParts((await call(SAMPLER, savedSchema, { path: name }, signal)).path, "sampler_weights"),
    sampler: async (signal) => {
      samplers += 1;
      const body = { sampling_session_seq_id: samplers };
      const { sampling_session_id: id } = await call(SAMPLER, samplerSchema, body, signal);
      if (id !== null && id !== undefined) return id;
      throw new EngineError("trainer-bad-response", "The trainer saved weights to sample from but named no session.");
    },
    unload: async (signal) => {
      const body = { model_id: modelId, type: "unload_model" };
      // A trainer that is gone has nothing to unload; that should not take long to find out.
      await perform(http, { path: "/api/v1/unload_model", body, what: "unload_model", signal, attempts: 2 });
    },
  };
}

/** SkyRL names a sampler's weights with two parts, which the official client itself refuses. */
export function threeParts(path: string, kind: "weights" | "sampler_weights"): string {
  const [model, name, ...rest] = path.replace(/^tinker:\/\//, "").split("/");
  if (!path.startsWith("tinker://") || model === undefined || name === undefined || rest.length > 1) {
    throw new EngineError(
      "trainer-bad-response",
      `The trainer named a checkpoint "${path}"; expected tinker://MODEL/${kind}/NAME.`,
    );
  }
  return rest.length === 1 ? path : `tinker://${model}/${kind}/${name}`;
}

/** Servers answer these slips with a bare 500, or not at all. */
function* checked(data: Iterable<Datum>): Generator<Datum> {
  const fail = (at: number, what: string): never => {
    throw new EngineError("bad-datum", `Datum ${at}: ${what}.`, { details: { datum: at } });
  };
  let at = -1;
  for (const datum of data) {
    at += 1;
    const { model_input, loss_fn_inputs } = datum;
    const length = model_input.chunks.reduce((total, { tokens }) => total + tokens.length, 0);
    if (length === 0) fail(at, "it has no tokens");
    if (loss_fn_inputs["target_tokens"] === undefined) fail(at, "it has no target_tokens");
    for (const [name, { data: values }] of Object.entries(loss_fn_inputs)) {
      if (values.length !== length) fail(at, `${name} has ${values.length} entries for ${length} tokens`);
      const wrong = values.findIndex((value) => !Number.isFinite(value));
      if (wrong >= 0) fail(at, `${name} holds ${values[wrong]} at place ${wrong}; every number must be finite`);
    }
    yield datum;
  }
}
