/**
 * Conversations whose every turn is one request: the whole context goes along, and the server keeps what
 * it likes. Draws follow from the conversation's seed and its turns. `limbeck trainer` draws with the conversation's own
 * generator and says what a model in this process would; other servers are given a seed for each turn.
 */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { append, checkSampling, createConversation, type HeldTokens, type Sampling } from "../conversation-guards.ts";
import { endsWith } from "../local/response.ts";
import { type Conversation, type ConversationOptions, type Sampled, type SampleOptions, COLDEST } from "../policy.ts";
import type { RemoteSample, SampleRequest, SamplingClient } from "./sampling-client.ts";

export interface SpeechOptions {
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly extension: boolean;
  /** The sampler of the newest weights, and their version. */
  readonly sampler: (
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly client: SamplingClient; readonly version: number }>;
}

interface Talk extends HeldTokens, Sampling {
  rng: Rng;
  turns: number;
  busy: boolean;
  closed: boolean;
}

export function openConversation(speech: SpeechOptions, { seed = 0 }: ConversationOptions = {}): Conversation {
  const nothing = { tokens: new Int32Array(64), count: 0, turns: 0, busy: false, closed: false };
  return converse(speech, { rng: createRng(seed), ...nothing });
}

function converse(speech: SpeechOptions, talk: Talk): Conversation {
  return createConversation({
    held: talk,
    sampling: () => talk,
    vocabularySize: speech.vocabularySize,
    sample: async (options) => {
      checkSampling(talk.count, speech.contextLength, talk, options);
      talk.busy = true;
      try {
        return await sample(speech, talk, options);
      } finally {
        talk.busy = false;
      }
    },
    fork: (label) => converse(speech, { ...talk, rng: talk.rng.split(label), tokens: talk.tokens.slice() }),
    close: () => {
      talk.closed = true;
    },
  });
}

async function sample(speech: SpeechOptions, talk: Talk, options: SampleOptions): Promise<Sampled> {
  const room = speech.contextLength - talk.count;
  const maxTokens = Math.min(options.maxTokens, room);
  const { client, version } = await speech.sampler(options.signal);
  const request = {
    prompt: talk.tokens.slice(0, talk.count),
    signal: options.signal,
    ...asked(speech, talk, options, maxTokens),
  };
  const { sequences } = await client.sample(request);
  const [first] = sequences;
  if (first === undefined) throw new EngineError("trainer-bad-response", "The trainer sampled nothing.");
  const drawn = cut(first, options, maxTokens);
  const wrong = drawn.tokens.find((id) => !(id >= 0 && id < speech.vocabularySize));
  if (wrong !== undefined) {
    throw new EngineError(
      "trainer-bad-response",
      `The trainer said the token ${wrong}; the tokenizer here has ${speech.vocabularySize}. It serves another model.`,
    );
  }
  append(talk, drawn.tokens);
  talk.turns += 1;
  // One number was drawn for each token.
  if (speech.extension) for (let at = 0; at < drawn.tokens.length; at += 1) talk.rng.float();
  const ending = drawn.stopped ? "stop" : drawn.tokens.length >= options.maxTokens ? "length" : "context";
  const allowed = first.extension?.allowed ?? undefined;
  return {
    ids: Int32Array.from(drawn.tokens),
    logprobs: Float32Array.from(drawn.logprobs),
    sampledLogprobs: Float32Array.from(sampledLogprobs(drawn, options)),
    ...(allowed === undefined
      ? {}
      : { allowed: { offsets: Int32Array.from(allowed.offsets), ids: Int32Array.from(allowed.ids) } }),
    version,
    ending,
  };
}

/** What of the options goes over the wire, and how. */
function asked(
  { extension }: SpeechOptions,
  talk: Talk,
  options: SampleOptions,
  maxTokens: number,
): Pick<SampleRequest, "params" | "extension"> {
  const { temperature: asked = 1, topK, topP, minP, stop = [], allowed } = options;
  const temperature = asked < COLDEST ? 0 : asked;
  const shared = {
    max_tokens: maxTokens,
    temperature,
    ...withoutUndefined({ top_k: topK, top_p: topP }),
  };
  if (extension) {
    return {
      params: shared,
      extension: {
        rng: talk.rng.save(),
        stop: stop.map((sequence) => Array.from(sequence)),
        ...(allowed === undefined ? {} : { allowed: allowed.map((sequence) => Array.from(sequence)) }),
        ...(minP === undefined ? {} : { min_p: minP }),
      },
    };
  }
  if (allowed !== undefined || minP !== undefined) {
    throw new EngineError(
      "needs-unmet",
      `This trainer cannot ${allowed === undefined ? "sample with minP" : "confine answers to an allowed set"}; the Tinker protocol has no field for it. Leave it out, or use "limbeck trainer".`,
    );
  }
  // Longer sequences are looked for when the answer is there.
  const single = stop.flatMap((sequence) => (sequence.length === 1 ? [sequence[0] as number] : []));
  const seed = talk.rng.split(`turn ${talk.turns}`).int(2 ** 31 - 1);
  return { params: { ...shared, seed, ...(single.length === 0 ? {} : { stop: single }) } };
}

interface Cut extends RemoteSample {
  readonly stopped: boolean;
}

/** Up to the first stop sequence; what a server sends after it is not part of the response. */
function cut(sample: RemoteSample, { stop = [], allowed }: SampleOptions, maxTokens: number): Cut {
  const { tokens } = sample;
  for (let end = 1; end <= Math.min(tokens.length, maxTokens); end += 1) {
    if (!stop.some((sequence) => endsWith(tokens, sequence, end))) continue;
    const { extension } = sample;
    const shorter =
      extension === undefined
        ? undefined
        : { ...extension, sampled_logprobs: extension.sampled_logprobs.slice(0, end) };
    return {
      ...sample,
      tokens: tokens.slice(0, end),
      logprobs: sample.logprobs.slice(0, end),
      extension: shorter,
      stopped: true,
    };
  }
  if (tokens.length > maxTokens) {
    throw new EngineError(
      "trainer-bad-response",
      `The trainer said ${tokens.length} tokens where ${maxTokens} were asked for.`,
    );
  }
  return { ...sample, stopped: sample.stopReason === "stop" && (allowed !== undefined || tokens.length < maxTokens) };
}

/** Of the distribution that was drawn from. Empty where the server does not report it and it is not the policy's own. */
function sampledLogprobs({ logprobs, extension }: Cut, options: SampleOptions): readonly number[] {
  if (extension !== undefined) return extension.sampled_logprobs;
  const { temperature = 1, topK, topP } = options;
  if (temperature < COLDEST) return logprobs.map(() => 0);
  return temperature === 1 && topK === undefined && topP === undefined ? logprobs : [];
}
