/** The messages of the Tinker protocol, as a client sends and reads them. Field names are the protocol's own. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { redact } from "../chat/endpoint.ts";

export interface WireTensor {
  readonly data: readonly number[];
  readonly dtype: "int64" | "float32";
  readonly shape: readonly number[];
}

export interface Datum {
  readonly model_input: {
    readonly chunks: readonly { readonly type: "encoded_text"; readonly tokens: readonly number[] }[];
  };
  readonly loss_fn_inputs: Readonly<Record<string, WireTensor>>;
  /** Words beside the targets, for a server that announces `candidates`. */
  readonly limbeck?: WireCandidates;
}

/** Arrays are base64 of little-endian 32-bit numbers. In a datum a position counts targets, in a prompt tokens. */
export interface WireCandidates {
  /** At every position. */
  readonly count: number;
  readonly positions: string;
  readonly ids: string;
  /** d(loss)/d(log-probability), added to the gradient as they are. */
  readonly slopes?: string;
}

/** A datum for a server that announces `packed`: every array as base64 of little-endian 32-bit numbers. */
export interface PackedDatum {
  readonly limbeck: Readonly<Record<string, string | number>>;
}

/** Losses that every server has. */
export type LossName = "cross_entropy" | "importance_sampling" | "ppo" | "cispo";

export interface AdamParams {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  /** 0: off. SkyRL drops it silently. */
  readonly grad_clip_norm: number;
}

export interface SamplingParams {
  readonly max_tokens: number;
  readonly seed?: number;
  readonly temperature?: number;
  readonly top_k?: number;
  readonly top_p?: number;
  readonly stop?: readonly number[] | readonly string[];
}

/**
 * What `limbeck trainer` understands beyond the protocol. It is sent only to a server that announces it, because others
 * drop what they do not know, or refuse it.
 */
export interface SampleExtension {
  /** The generator to draw with, so that a conversation goes on exactly where it was. */
  readonly rng?: { readonly key: readonly number[]; readonly state: readonly number[] };
  readonly allowed?: readonly (readonly number[])[];
  readonly stop?: readonly (readonly number[])[];
  readonly min_p?: number;
  /** With `candidates` alone: the likeliest words, or those of given ones, at some tokens of the prompt. */
  readonly top?: Pick<WireCandidates, "count" | "positions">;
  readonly candidates?: WireCandidates;
  /** With `packed` alone: the prompt, in the place of its chunks; log-probabilities of a prompt then come packed too. */
  readonly prompt?: string;
}

const tensor = z.object({ data: z.array(z.number()), shape: z.array(z.number()).optional() });

/** With the result, where the server was asked to wait for it and it came in time. */
export const submittedSchema = z.object({
  request_id: z.string(),
  limbeck: z.object({ result: z.unknown() }).nullish(),
});
export type Submitted = z.infer<typeof submittedSchema>;
export const sessionSchema = z.object({
  session_id: z.string(),
  info_message: z.string().nullish(),
  warning_message: z.string().nullish(),
  error_message: z.string().nullish(),
});
export const createdModelSchema = z.object({ model_id: z.string(), request_id: z.string() });
export const madeModelSchema = z.object({
  model_id: z.string(),
  lora_config: z.object({ rank: z.number(), alpha: z.number().nullish() }).nullish(),
});
export const capabilitiesSchema = z.object({
  supported_models: z.array(z.object({ model_name: z.string().nullish(), max_context_length: z.number().nullish() })),
});
export const clientConfigSchema = z.object({
  fwdbwd_max_chunk_len: z.number().positive().nullish(),
  fwdbwd_max_chunk_bytes_count: z.number().positive().nullish(),
  sample_max_concurrent_requests: z.number().positive().nullish(),
  limbeck: z
    .object({
      extension: z.number(),
      full_weights: z.boolean(),
      candidates: z.number().nullish(),
      packed: z.number().nullish(),
    })
    .nullish(),
});
export const forwardSchema = z.object({
  loss_fn_outputs: z.array(z.record(z.string(), tensor)),
  metrics: z.record(z.string(), z.number()).nullish(),
  limbeck: z
    .object({
      candidates: z.array(z.string().nullable()).optional(),
      logprobs: z.array(z.string()).optional(),
      losses: z.array(z.string()).optional(),
    })
    .nullish(),
});
export type ForwardAnswer = z.infer<typeof forwardSchema>;
export const steppedSchema = z.object({ metrics: z.record(z.string(), z.number()).nullish() });
export const savedSchema = z.object({ path: z.string() });
export const samplerSchema = z.object({ path: z.string().nullish(), sampling_session_id: z.string().nullish() });
export const samplingSessionSchema = z.object({ sampling_session_id: z.string() });
export const sampleSchema = z.object({
  sequences: z.array(
    z.object({
      stop_reason: z.string(),
      tokens: z.array(z.int()),
      logprobs: z.array(z.number()).nullish(),
      limbeck: z
        .object({
          sampled_logprobs: z.array(z.number()),
          allowed: z.object({ offsets: z.array(z.int()), ids: z.array(z.int()) }).nullish(),
        })
        .nullish(),
    }),
  ),
  prompt_logprobs: z.array(z.number().nullable()).nullish(),
  topk_prompt_logprobs: z.array(z.array(z.tuple([z.number(), z.number()])).nullable()).nullish(),
  limbeck: z
    .object({
      top: z.object({ ids: z.string(), logprobs: z.string() }).nullish(),
      candidates: z.string().nullish(),
      prompt_logprobs: z.string().nullish(),
    })
    .nullish(),
});
export type SampleAnswer = z.infer<typeof sampleSchema>;
export const checkpointsSchema = z.object({
  checkpoints: z.array(
    z.object({
      checkpoint_id: z.string(),
      checkpoint_type: z.string(),
      time: z.string().nullish(),
      tinker_path: z.string(),
    }),
  ),
});
export const weightsInfoSchema = z.object({
  base_model: z.string(),
  is_lora: z.boolean(),
  lora_rank: z.number().nullish(),
});

/** What a model computes. JSON has no NaN: servers say null for it. */
const NUMBERS = /logprobs$|^loss_fn_outputs$|^metrics$/;

/** A number that is none is no matter of the address or the protocol. */
export function notFinite(what: string, place: string): EngineError {
  return new EngineError(
    "trainer-not-finite",
    `The trainer's answer to ${what} holds no number at "${place}" (null stands for NaN): its model has become NaN or infinite. Nothing is learned from it. Go back to the last checkpoint with --resume, on a trainer that was started anew, with a smaller learning rate, a smaller beta2 (in bfloat16 0.999 is 1) or in float32.`,
    { details: { what, place } },
  );
}

/** Parses a server's answer; what does not fit is an error that names the call and the place. */
export function readAs<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { path, message } = issue ?? { path: [], message: "unknown" };
  const isNumber = issue?.code === "invalid_type" && issue.expected === "number";
  if (isNumber && path.some((key) => NUMBERS.test(String(key)))) throw notFinite(what, path.join("."));
  const excerpt = redact(JSON.stringify(value) ?? "nothing", []).slice(0, 120);
  throw new EngineError(
    "trainer-bad-response",
    `The trainer's answer to ${what} has an unexpected shape at "${path.join(".")}": ${message}. It said ${excerpt}. Is that address a Tinker server? "limbeck conformance tinker" says where it differs.`,
  );
}
