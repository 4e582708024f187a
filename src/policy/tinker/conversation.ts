/**
 * Conversations whose every turn is one request: the whole of what was read and said goes along, and the server keeps what
 * it likes. Draws follow from the conversation's seed and its turns. `limbeck trainer` draws with the conversation's own
 * generator and says what a model in this process would; other servers are given a seed for each turn.
 */
import { createRng, EngineError, withoutUndefined, type Rng } from "../../base/index.ts";
import { checkSampling, checkTokens, refuseBusy } from "../conversation-guards.ts";
import type { Conversation, ConversationOptions, Sampled, SampleOptions } from "../policy.ts";
import type { RemoteSample, SampleRequest, SamplingClient } from "./sampling-client.ts";
import { COLDEST } from "../policy.ts";

export interface SpeechOptions {
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly extension: boolean;
  /** The sampler of the newest weights, and their version. */
  readonly sampler: (
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly client: SamplingClient; readonly version: number }>;
}

interface Talk {
  rng: Rng;
  tokens: number[];
  turns: number;
  busy: boolean;
  closed: boolean;
}

export function openConversation(speech: SpeechOptions, { seed = 0 }: ConversationOptions = {}): Conversation {
  return converse(speech, { rng: createRng(seed), tokens: [], turns: 0, busy: false, closed: false });
}

function converse(speech: SpeechOptions, talk: Talk): Conversation {
  return {
    get tokens() {
      return Int32Array.from(talk.tokens);
    },
    extend: (ids) => {
      refuseBusy(talk);
      checkTokens(ids, speech.vocabularySize);
      for (let at = 0; at < ids.length; at += 1) talk.tokens.push(ids[at] as number);
    },
    sample: async (options) => {
      checkSampling(talk.tokens.length, speech.contextLength, talk, options);
      talk.busy = true;
      try {
        return await say(speech, talk, options);
      } finally {
        talk.busy = false;
      }
    },
    fork: (label) => {
      refuseBusy(talk);
      return converse(speech, { ...talk, rng: talk.rng.split(label), tokens: [...talk.tokens] });
    },
    close: () => {
      talk.closed = true;
    },
  };
}

async function say(speech: SpeechOptions, talk: Talk, options: SampleOptions): Promise<Sampled> {
  const room = speech.contextLength - talk.tokens.length;
  const maxTokens = Math.min(options.maxTokens, room);
  const { client, version } = await speech.sampler(options.signal);
  const request = { prompt: talk.tokens, signal: options.signal, ...asked(speech, talk, options, maxTokens) };
  const { sequences } = await client.sample(request);
  const [first] = sequences;
  if (first === undefined) throw new EngineError("trainer-bad-response", "The trainer sampled nothing.");
  const said = cut(first, options, maxTokens);
  const wrong = said.tokens.find((id) => !(id >= 0 && id < speech.vocabularySize));
  if (wrong !== undefined) {
    throw new EngineError(
      "trainer-bad-response",
      `The trainer said the token ${wrong}; the tokenizer here has ${speech.vocabularySize}. It serves another model.`,
    );
  }
  talk.tokens.push(...said.tokens);
  talk.turns += 1;
  // One number was drawn for each token.
  if (speech.extension) for (let at = 0; at < said.tokens.length; at += 1) talk.rng.float();
  const ending = said.stopped ? "stop" : said.tokens.length >= options.maxTokens ? "length" : "context";
  const allowed = first.extension?.allowed ?? undefined;
  const drawn = sampledLogprobs(said, options);
  return {
    ids: Int32Array.from(said.tokens),
    logprobs: Float32Array.from(said.logprobs),
    sampledLogprobs: Float32Array.from(drawn),
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

/** Up to the first stop sequence; what a server said after it was never part of the response. */
function cut(sample: RemoteSample, { stop = [], allowed }: SampleOptions, maxTokens: number): Cut {
  const { tokens } = sample;
  for (let end = 1; end <= Math.min(tokens.length, maxTokens); end += 1) {
    if (!stop.some((sequence) => endsWith(tokens, end, sequence))) continue;
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

/** Of the distribution that was drawn from. Empty where the server does not tell it and it is not the policy's own. */
function sampledLogprobs({ logprobs, extension }: Cut, options: SampleOptions): readonly number[] {
  if (extension !== undefined) return extension.sampled_logprobs;
  const { temperature = 1, topK, topP } = options;
  if (temperature < COLDEST) return logprobs.map(() => 0);
  return temperature === 1 && topK === undefined && topP === undefined ? logprobs : [];
}

function endsWith(tokens: readonly number[], end: number, sequence: ArrayLike<number>): boolean {
  if (sequence.length === 0 || sequence.length > end) return false;
  for (let at = 0; at < sequence.length; at += 1) {
    if (tokens[end - sequence.length + at] !== sequence[at]) return false;
  }
  return true;
}
