/**
 * Conversations of policies that live in plain code. A reply is drawn in one go, so nothing another conversation does
 * can reach it, and thousands of them cost no more than their tokens.
 */
import { createRng, restoreRng, type Rng } from "limbeck-base/base/rng";
import { abortable, append, checkSampling, createConversation } from "../conversation-guards.ts";
import { createResponse, draw, type Drawn, type Prediction } from "../local/response.ts";
import type { Conversation, ConversationOptions, Sampled, SampleOptions } from "../policy.ts";

/** How long a reply takes, by a clock of the caller's choice. The reply is given when the promise resolves. */
export type ReplyDelay = (reply: ReplySize, signal: AbortSignal | undefined) => PromiseLike<void>;

export interface ReplySize {
  /** Tokens that had been read since the last reply. */
  readonly readTokens: number;
  readonly saidTokens: number;
}

/** The next tokens, for one reply. */
export interface Predictor {
  /** The prediction after the first `count` tokens; it may be overwritten by the next call. */
  predict(tokens: Int32Array, count: number): Prediction;
  /** The tokens that must follow the first `count`, up to the next one that is drawn or the end of the reply. */
  readonly certain?: (tokens: Int32Array, count: number) => Int32Array;
}

export interface Speech {
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** What ends a reply besides the caller's own stop sequences. */
  readonly stop: readonly ArrayLike<number>[];
  readonly delay: ReplyDelay | undefined;
  readonly version: () => number;
  readonly begin: (talk: Heard, temperature: number) => Predictor;
}

/** A conversation as a policy sees it when a reply begins. */
export interface Heard {
  readonly tokens: Int32Array;
  readonly count: number;
  /** Where the last reply ended. */
  readonly heardFrom: number;
  /** Replies before this one. */
  readonly replies: number;
}

interface Talk extends Heard {
  rng: Rng;
  tokens: Int32Array;
  count: number;
  heardFrom: number;
  replies: number;
  busy: boolean;
  closed: boolean;
}

export function openTalk(speech: Speech, { seed = 0 }: ConversationOptions = {}): Conversation {
  return converse(speech, {
    rng: createRng(seed),
    tokens: new Int32Array(64),
    count: 0,
    heardFrom: 0,
    replies: 0,
    busy: false,
    closed: false,
  });
}

function converse(speech: Speech, talk: Talk): Conversation {
  const check = (options: SampleOptions): void => checkSampling(talk.count, speech.contextLength, talk, options);
  return createConversation({
    held: talk,
    sampling: () => talk,
    vocabularySize: speech.vocabularySize,
    sample: async (options) => {
      check(options);
      return await reply(speech, talk, options);
    },
    peek: async (signal) => {
      check({ maxTokens: 1, ...(signal === undefined ? {} : { signal }) });
      return speech.begin(talk, 1).predict(talk.tokens, talk.count).logprobs.slice();
    },
    fork: (label) => converse(speech, { ...talk, rng: talk.rng.split(label), tokens: talk.tokens.slice() }),
    close: () => {
      talk.closed = true;
    },
  });
}

/** A reply that fails or is cancelled leaves the conversation as it was, its randomness included. */
async function reply(speech: Speech, talk: Talk, options: SampleOptions): Promise<Sampled> {
  const { count } = talk;
  const before = talk.rng.save();
  talk.busy = true;
  try {
    const response = speak(speech, talk, options);
    const { delay } = speech;
    if (delay !== undefined) {
      const size = { readTokens: count - talk.heardFrom, saidTokens: response.ids.length };
      await abortable(delay(size, options.signal), options.signal);
    }
    append(talk, response.ids);
    talk.heardFrom = talk.count;
    talk.replies += 1;
    return response;
  } catch (error) {
    talk.rng = restoreRng(before);
    throw error;
  } finally {
    talk.busy = false;
  }
}

/** Draws a reply into the room behind the conversation's tokens, without counting them as sampled. */
function speak(speech: Speech, talk: Talk, options: SampleOptions): Sampled {
  const { stop = [] } = options;
  const version = speech.version();
  const predictor = speech.begin(talk, options.temperature ?? 1);
  const { certain } = predictor;
  if (certain !== undefined && isPlain(speech, options)) {
    return speakPlainly(speech, talk, { ...predictor, certain }, options.maxTokens);
  }
  const response = createResponse({ ...options, stop: speech.stop.length === 0 ? stop : [...stop, ...speech.stop] });
  for (let count = talk.count; ;) {
    const ending = response.take(predictor.predict(talk.tokens, count), talk.rng.float());
    write(talk, count, response.last());
    count += 1;
    const over = ending ?? (count >= speech.contextLength ? "context" : undefined);
    if (over !== undefined) return response.finish(version, over);
  }
}

/** Nothing that could end a reply early or change what is drawn. */
function isPlain(speech: Speech, { temperature = 1, topK, topP, minP, allowed, stop = [] }: SampleOptions): boolean {
  if (temperature !== 1) return false;
  if (topK !== undefined || topP !== undefined || minP !== undefined || allowed !== undefined) return false;
  return stop.every((sequence) => sequence.length === 1 && isEnd(speech, sequence[0] as number));
}

function isEnd(speech: Speech, id: number): boolean {
  return speech.stop.some((sequence) => sequence.length === 1 && sequence[0] === id);
}

const PLAIN = { temperature: 1 };

/** The same draws as above, without looking for what is certain: most tokens of a script are. */
function speakPlainly(speech: Speech, talk: Talk, predictor: Required<Predictor>, maxTokens: number): Sampled {
  const start = talk.count;
  const end = Math.min(start + maxTokens, speech.contextLength);
  const drawn: { readonly place: number; readonly token: Drawn }[] = [];
  let count = start;
  const over = (): boolean => count >= end || (count > start && isEnd(speech, talk.tokens[count - 1] as number));
  while (!over()) {
    for (const id of predictor.certain(talk.tokens, count)) {
      if (count >= end) break;
      write(talk, count, id);
      count += 1;
      // Drawn and not used: what a conversation says later does not depend on which way it went here.
      talk.rng.float();
    }
    if (over()) break;
    const token = draw(predictor.predict(talk.tokens, count), PLAIN, talk.rng.float());
    drawn.push({ place: count - start, token });
    write(talk, count, token.id);
    count += 1;
  }
  const ids = talk.tokens.slice(start, count);
  const [logprobs, sampledLogprobs] = [new Float32Array(ids.length), new Float32Array(ids.length)];
  for (const { place, token } of drawn) {
    logprobs[place] = token.logprob;
    sampledLogprobs[place] = token.sampledLogprob;
  }
  const ended = isEnd(speech, ids[ids.length - 1] as number);
  const ending = ended ? "stop" : ids.length === maxTokens ? "length" : "context";
  return { ids, logprobs, sampledLogprobs, version: speech.version(), ending };
}

function write(talk: Talk, at: number, id: number): void {
  if (at >= talk.tokens.length) {
    const grown = new Int32Array(talk.tokens.length * 2);
    grown.set(talk.tokens);
    talk.tokens = grown;
  }
  talk.tokens[at] = id;
}
