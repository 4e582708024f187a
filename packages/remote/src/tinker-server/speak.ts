/** One request for samples, on a policy: the protocol's fields to the engine's, and back. */
import { EngineError } from "limbeck-base/base/errors";
import { type Decode, sampleUntil } from "./stop-strings.ts";
import type { Sampled, SampleOptions } from "limbeck-policy/policy/policy";
import type { LocalPolicy } from "limbeck-policy/policy/local/local-policy";
import { checkBody, HttpFailure } from "./http-failure.ts";
import type { KeptConversations } from "./kept-conversations.ts";
import { type SampleBody, sampleRequest, samplingSessionRequest } from "./requests.ts";
import type { RouteTable } from "./router.ts";
import { freshId, type Source, type Workshop } from "./workshop.ts";

/** Log-probabilities of a whole vocabulary at every place; more than this is refused. */
const MAX_TABLE = 16_777_216;

/** What cannot be asked for is refused at once, before there is a number to wait for. */
export function checkSample({ sampling_params, limbeck }: SampleBody, decode: Decode | undefined): void {
  const { max_tokens, stop } = sampling_params;
  if (max_tokens === null || max_tokens === undefined) throw new HttpFailure(400, "max_tokens is required.");
  if (max_tokens <= 0) throw new HttpFailure(400, "max_tokens must be a positive number.");
  if (stop?.some((item) => typeof item === "string") === true && decode === undefined) {
    throw new HttpFailure(
      400,
      "The base model has no tokenizer, so that texts to stop at are unknown; give the ids of stop tokens.",
    );
  }
  if (stop?.some((item) => typeof item === "string") === true && limbeck?.allowed !== undefined) {
    throw new HttpFailure(400, "Texts to stop at and an allowed set exclude each other.");
  }
  if (limbeck?.allowed?.length === 0) throw new HttpFailure(400, "The allowed set is empty.");
}

export async function sampleAll(
  policy: LocalPolicy,
  kept: KeptConversations,
  body: SampleBody,
  decode: Decode | undefined,
): Promise<object> {
  const prompt = Int32Array.from(body.prompt.chunks.flatMap(({ tokens }) => tokens));
  const options = optionsOf(body);
  const texts = (body.sampling_params.stop ?? []).filter((item) => typeof item === "string");
  const sequences = await Promise.all(
    Array.from({ length: body.num_samples }, async (_, at) => {
      const after = kept.find(prompt);
      const talk = policy.open({ ...drawsOf(body, at), ...(after === undefined ? {} : { after }) });
      talk.extend(prompt.subarray(after?.tokens.length ?? 0));
      const sampled =
        texts.length === 0 || decode === undefined
          ? await talk.sample(options)
          : await sampleUntil(talk, options, { texts, decode });
      kept.keep(talk);
      return sequenceOf(sampled, body);
    }),
  );
  const topK = body.topk_prompt_logprobs ?? 0;
  const asked = body.prompt_logprobs === true || topK > 0;
  return {
    sequences,
    prompt_logprobs: asked ? await promptLogprobs(policy, prompt) : null,
    topk_prompt_logprobs: topK > 0 ? await topTokens(policy, prompt, topK) : null,
  };
}

/** Sample i has the seed + i; a conversation that brings its own generator goes on with it. */
function drawsOf(
  { sampling_params: { seed }, limbeck }: SampleBody,
  at: number,
): Parameters<LocalPolicy["open"]>[0] & object {
  if (limbeck?.rng !== undefined && at === 0) return { rng: limbeck.rng };
  if (seed !== null && seed !== undefined) return { seed: seed + at };
  return { seed: `${process.hrtime.bigint()} ${at}` };
}

function optionsOf({ sampling_params: given, limbeck }: SampleBody): SampleOptions {
  const single = (given.stop ?? []).flatMap((id) => (typeof id === "number" ? [[id]] : []));
  const stop = [...single, ...(limbeck?.stop ?? [])];
  return {
    maxTokens: given.max_tokens ?? 1,
    temperature: given.temperature,
    ...(given.top_k > 0 ? { topK: given.top_k } : {}),
    ...(given.top_p < 1 ? { topP: given.top_p } : {}),
    ...(limbeck?.min_p === undefined ? {} : { minP: limbeck.min_p }),
    ...(limbeck?.allowed === undefined ? {} : { allowed: limbeck.allowed }),
    ...(stop.length === 0 ? {} : { stop }),
  };
}

function sequenceOf({ ids, logprobs, sampledLogprobs, allowed, ending }: Sampled, { limbeck }: SampleBody): object {
  return {
    stop_reason: ending === "stop" ? "stop" : "length",
    tokens: [...ids],
    logprobs: [...logprobs],
    ...(limbeck === null || limbeck === undefined
      ? {}
      : {
          limbeck: {
            sampled_logprobs: [...sampledLogprobs],
            ...(allowed === undefined ? {} : { allowed: { offsets: [...allowed.offsets], ids: [...allowed.ids] } }),
          },
        }),
  };
}

async function promptLogprobs(policy: LocalPolicy, ids: Int32Array): Promise<(number | null)[]> {
  const [scored] = await policy.score([{ ids }]);
  return [null, ...(scored?.logprob ?? []).slice(1)];
}

async function topTokens(policy: LocalPolicy, ids: Int32Array, count: number): Promise<unknown[]> {
  const { vocabularySize } = policy.config;
  if (ids.length * vocabularySize > MAX_TABLE) {
    throw new EngineError(
      "too-large",
      `Top-k of ${ids.length} tokens over a vocabulary of ${vocabularySize} is too large.`,
    );
  }
  const row = Int32Array.from({ length: ids.length * vocabularySize }, (_, at) => at % vocabularySize);
  const [scored] = await policy.score([{ ids, candidates: { count: vocabularySize, ids: row } }], {
    statistics: ["candidates"],
  });
  const table = scored?.candidates ?? new Float32Array();
  return Array.from(ids, (_, at) => {
    if (at === 0) return null;
    const own = table.subarray(at * vocabularySize, (at + 1) * vocabularySize);
    const order = Array.from(own.keys()).sort((left, right) => (own[right] as number) - (own[left] as number));
    return order.slice(0, count).map((id) => [id, own[id]]);
  });
}

// Sampling sessions and samples.

export function samplingRoutes(workshop: Workshop): RouteTable {
  const { samplers, futures, baseName, checkpoints } = workshop;
  const known = (id: string): Source => {
    const source = samplers.get(id);
    if (source !== undefined) return source;
    throw new HttpFailure(404, `Sampling session ${id.slice(0, 60)} not found: session not found.`);
  };
  const sourceOf = async ({ sampling_session_id, model_path }: SampleBody): Promise<Source> => {
    if (typeof sampling_session_id === "string") {
      if (sampling_session_id.includes(":")) throw new HttpFailure(400, 'A sampling session\'s id has no ":".');
      return known(sampling_session_id);
    }
    if (typeof model_path !== "string") return { kind: "base" };
    await checkpoints.folder(model_path, "sampler_weights");
    return { kind: "saved", path: model_path };
  };
  return {
    "POST /api/v1/create_sampling_session": async ({ body }) => {
      const { session_id, base_model, model_path } = checkBody(samplingSessionRequest, body);
      workshop.touch(session_id, false);
      workshop.requireBase(base_model);
      if (typeof model_path === "string") await checkpoints.folder(model_path, "sampler_weights");
      const id = freshId("sampling");
      samplers.set(id, typeof model_path === "string" ? { kind: "saved", path: model_path } : { kind: "base" });
      return { json: { type: "create_sampling_session", sampling_session_id: id } };
    },
    "GET /api/v1/samplers/{id}": ({ params }) => {
      const { id = "" } = params;
      const source = known(id);
      return {
        json: { sampler_id: id, base_model: baseName, model_path: source.kind === "saved" ? source.path : null },
      };
    },
    "POST /api/v1/asample": async ({ body }) => {
      const given = checkBody(sampleRequest, body);
      checkSample(given, workshop.decode);
      const source = await sourceOf(given);
      const request_id = futures.begin(async () => {
        workshop.requireBase(given.base_model);
        return await workshop.sampleFrom(source, (policy, kept) => sampleAll(policy, kept, given, workshop.decode));
      });
      return { json: { future_id: request_id, status: "pending", request_id } };
    },
  };
}
