/** Samples and prompt log-probabilities from frozen weights: a saved version of a model, or the base model. */
import { EngineError } from "limbeck-base/base/errors";
import type { Slots } from "../chat/retry.ts";
import { perform } from "./future.ts";
import type { TinkerHttp } from "./http.ts";
import { pack, unpackFloats } from "./datum.ts";
import { readAs, sampleSchema, type SampleAnswer, type SampleExtension, type SamplingParams } from "./wire.ts";

export interface SampleRequest {
  readonly prompt: ArrayLike<number>;
  readonly params: SamplingParams;
  /** Default: 1. */
  readonly samples?: number;
  readonly promptLogprobs?: boolean;
  /** Most likely tokens at each place of the prompt; not every server has it. */
  readonly topK?: number;
  readonly extension?: SampleExtension;
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteSample {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly stopReason: string;
  readonly extension: RemoteExtension | undefined;
}

type RemoteExtension = NonNullable<SampleAnswer["sequences"][number]["limbeck"]>;

export interface RemoteSamples {
  readonly sequences: readonly RemoteSample[];
  /** One per token of the prompt, the first null; undefined where it was not asked for. */
  readonly promptLogprobs: readonly (number | null)[] | undefined;
  /** [token, log-probability] pairs per token of the prompt. */
  readonly topK: readonly (readonly (readonly [number, number])[] | null)[] | undefined;
  /** Answers to `top` and `candidates` of the extension, packed. */
  readonly wide: SampleAnswer["limbeck"] | undefined;
}

export interface SamplingClient {
  readonly sessionId: string;
  sample(request: SampleRequest): Promise<RemoteSamples>;
}

/** `packed`: whether the server takes prompts as packed arrays. */
export function createSamplingClient(
  http: TinkerHttp,
  sessionId: string,
  slots: Slots,
  packed = false,
): SamplingClient {
  let sequence = 0;
  return {
    sessionId,
    sample: async ({ prompt, params, samples = 1, promptLogprobs = false, topK = 0, extension, signal }) => {
      sequence += 1;
      const body = {
        sampling_session_id: sessionId,
        seq_id: sequence,
        prompt: { chunks: packed ? [] : [{ type: "encoded_text", tokens: Array.from(prompt) }] },
        sampling_params: params,
        num_samples: samples,
        prompt_logprobs: promptLogprobs,
        topk_prompt_logprobs: topK,
        type: "sample",
        ...(extension === undefined && !packed
          ? {}
          : { limbeck: { ...extension, ...(packed ? { prompt: pack(Int32Array.from(prompt)) } : {}) } }),
      };
      const work = { path: "/api/v1/asample", body, what: "asample", signal };
      const answer = readAs(sampleSchema, await slots.use(() => perform(http, work), signal), "asample");
      return {
        sequences: answer.sequences.map((sequence_) => readSequence(sequence_)),
        promptLogprobs: aligned(promptLogprobsOf(answer), prompt.length, promptLogprobs || topK > 0),
        topK: answer.topk_prompt_logprobs ?? undefined,
        wide: answer.limbeck ?? undefined,
      };
    },
  };
}

/** Those of the prompt, from the second token on where they are packed. */
function promptLogprobsOf(answer: SampleAnswer): readonly (number | null)[] | null | undefined {
  const packed = answer.limbeck?.prompt_logprobs;
  return typeof packed === "string" ? Array.from(unpackFloats(packed)) : answer.prompt_logprobs;
}

function readSequence(given: SampleAnswer["sequences"][number]): RemoteSample {
  const { tokens, logprobs, stop_reason, limbeck } = given;
  if (logprobs?.length === tokens.length && tokens.length > 0) {
    return { tokens, logprobs, stopReason: stop_reason, extension: limbeck ?? undefined };
  }
  throw new EngineError(
    "trainer-bad-response",
    `The trainer sampled ${tokens.length} tokens with ${logprobs?.length ?? 0} log-probabilities.`,
  );
}

/** SkyRL's JAX backend leaves out the first token, which nothing predicts; others say null for it. */
function aligned(
  values: readonly (number | null)[] | null | undefined,
  length: number,
  asked: boolean,
): readonly (number | null)[] | undefined {
  if (!asked) return undefined;
  if (values?.length === length) return [null, ...values.slice(1)];
  if (values?.length === length - 1) return [null, ...values];
  throw new EngineError(
    "trainer-bad-response",
    `A prompt of ${length} tokens got ${values?.length ?? 0} prompt log-probabilities.`,
  );
}
