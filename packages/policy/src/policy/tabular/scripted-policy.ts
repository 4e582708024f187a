/**
 * A token policy that says what a function decides: a noisy agent for tests, at the price of a function call.
 *
 * The script gives whole replies with probabilities. As tokens this is a mixture, and the probability of a token is
 * what is left of the mixture after it, over what was left before:
 *
 *   p(t_n | t_1 .. t_n-1) = sum of p(reply) over replies that begin with t_1 .. t_n / the same with t_1 .. t_n-1
 *
 * so the log-probabilities of a reply's tokens add up to the log-probability of the reply.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError } from "limbeck-base/base/errors";
import type { Prediction } from "../local/response.ts";
import { COLDEST, type Policy } from "../policy.ts";
import { byteTokenizer, encodeReply, type ScriptTokenizer } from "./script-tokenizer.ts";
import { openTalk, type Heard, type Predictor, type ReplyDelay } from "./talk.ts";

export interface ScriptedReply {
  readonly text: string;
  readonly probability: number;
}

/** What a script knows when it decides. Texts are decoded when they are read. */
export interface ScriptTurn {
  /** The whole conversation; a line break stands after each reply. */
  readonly text: string;
  /** What has been read since the last reply. */
  readonly observation: string;
  /** Replies before this one. */
  readonly index: number;
}

/** One reply for certain, or replies with probabilities that add up to 1. */
export type Script = (turn: ScriptTurn) => string | readonly ScriptedReply[];

export interface ScriptedOptions {
  readonly script: Script;
  /** Default: bytes. */
  readonly tokenizer?: ScriptTokenizer;
  /** Default: 65,536 tokens. */
  readonly contextLength?: number;
  readonly name?: string;
  readonly version?: number;
  /** How long a reply takes. Default: no time at all. */
  readonly delay?: ReplyDelay;
}

export const SCRIPTED_CHECKS = { contextLength: may.count, version: may.whole } as const;

export interface ScriptedPolicy extends Policy {
  readonly tokenizer: ScriptTokenizer;
}

/** How far probabilities may lie from adding up to 1. */
const ROUNDING = 1e-6;
/** Replies whose tokens are kept; a small world has a few hundred. */
const KEPT_REPLIES = 10_000;

/**
 * A policy in plain code: a function decides what it says.
 *
 * @example
 * const policy = createScriptedPolicy({ script: ({ index }) => (index === 0 ? "look" : "inventory") });
 * const { trajectories } = await rollout({ env: "household", policy, tasks: 1, group: 1, maxSteps: 2 });
 * console.log(trajectories[0]?.steps.map(({ action }) => action)); // [ "look", "inventory" ]
 */
export function createScriptedPolicy(options: ScriptedOptions): ScriptedPolicy {
  checkOptions("createScriptedPolicy", options, SCRIPTED_CHECKS);
  const {
    script,
    tokenizer = byteTokenizer(),
    contextLength = 65_536,
    name = "scripted",
    version = 0,
    delay,
  } = options;
  const encode = rememberReplies(tokenizer);
  const board = createBoard(tokenizer.vocabularySize);
  const speech = {
    vocabularySize: tokenizer.vocabularySize,
    contextLength,
    delay,
    stop: [[tokenizer.endToken]],
    version: () => version,
    begin: (heard: Heard, temperature: number): Predictor => {
      const replies = checkReplies(script(turnOf(heard, tokenizer)));
      const sequences = replies.map(({ text }) => encode(text));
      const masses = replies.map(({ probability }) => probability);
      return followReplies({ sequences, masses, start: heard.count, temperature, board });
    },
  };
  return {
    ref: { name, version },
    tokenizer,
    open: (conversation) => openTalk(speech, conversation),
    close: () => Promise.resolve(),
  };
}

/** The one prediction of a policy, rewritten for every token: replies are drawn one after the other, never at once. */
interface Board extends Prediction {
  /** The first `count` are the tokens that have a probability at the moment. */
  readonly ids: Int32Array;
  count: number;
}

function createBoard(vocabularySize: number): Board {
  const logprobs = new Float32Array(vocabularySize).fill(-Infinity);
  return { logprobs, probabilities: new Float32Array(vocabularySize), ids: new Int32Array(vocabularySize), count: 0 };
}

interface Following {
  /** Token sequences of the replies; those that are out of the game are removed. */
  readonly sequences: Int32Array[];
  readonly masses: number[];
  readonly start: number;
  readonly temperature: number;
  readonly board: Board;
}

function followReplies(following: Following): Predictor {
  const { sequences, masses, start, temperature, board } = following;
  /** How many tokens of the reply the sequences have been compared with. */
  let seen = 0;
  const follow = (tokens: Int32Array, depth: number): void => {
    for (; seen < depth; seen += 1) keep(sequences, masses, seen, tokens[start + seen] as number);
  };
  return {
    predict: (tokens, count) => {
      const depth = count - start;
      follow(tokens, depth);
      write(board, sequences, masses, depth, temperature);
      return board;
    },
    certain: (tokens, count) => {
      const depth = count - start;
      follow(tokens, depth);
      return shared(sequences, depth);
    },
  };
}

/** What all sequences have in common from this depth on. */
function shared(sequences: readonly Int32Array[], depth: number): Int32Array {
  const first = sequences[0] as Int32Array;
  let end = sequences.length === 1 ? first.length : depth;
  while (end < first.length && sequences.every((sequence) => sequence[end] === first[end])) end += 1;
  return first.subarray(depth, end);
}

/** Removes the replies that have another token at this depth. */
function keep(sequences: Int32Array[], masses: number[], depth: number, id: number): void {
  if (sequences.length === 1) return;
  let kept = 0;
  for (let at = 0; at < sequences.length; at += 1) {
    const sequence = sequences[at] as Int32Array;
    if (sequence[depth] !== id) continue;
    sequences[kept] = sequence;
    masses[kept] = masses[at] as number;
    kept += 1;
  }
  sequences.length = kept;
  masses.length = kept;
}

function write(
  board: Board,
  sequences: readonly Int32Array[],
  masses: readonly number[],
  depth: number,
  temperature: number,
): void {
  const { ids, logprobs, probabilities } = board;
  wipe(board);
  // Most tokens are certain: one reply is left soon after the first word.
  if (sequences.length === 1) {
    const id = sequences[0]?.[depth] as number;
    ids[board.count++] = id;
    logprobs[id] = 0;
    probabilities[id] = 1;
    return;
  }
  let total = 0;
  for (let at = 0; at < sequences.length; at += 1) {
    const id = sequences[at]?.[depth] as number;
    // For now the mass of the replies that go on with this token.
    if (probabilities[id] === 0) ids[board.count++] = id;
    probabilities[id] = (probabilities[id] as number) + (masses[at] as number);
    total += masses[at] as number;
  }
  let sum = 0;
  for (let at = 0; at < board.count; at += 1) {
    const id = ids[at] as number;
    const probability = (probabilities[id] as number) / total;
    logprobs[id] = Math.log(probability);
    probabilities[id] = temperature === 1 || temperature < COLDEST ? probability : probability ** (1 / temperature);
    sum += probabilities[id];
  }
  for (let at = 0; at < board.count; at += 1) {
    const id = ids[at] as number;
    probabilities[id] = (probabilities[id] as number) / sum;
  }
}

function wipe(board: Board): void {
  for (let at = 0; at < board.count; at += 1) {
    const id = board.ids[at] as number;
    board.logprobs[id] = -Infinity;
    board.probabilities[id] = 0;
  }
  board.count = 0;
}

function turnOf({ tokens, count, heardFrom, replies }: Heard, tokenizer: ScriptTokenizer): ScriptTurn {
  return {
    get text() {
      return tokenizer.decode(tokens.subarray(0, count));
    },
    get observation() {
      // A reply that was cut off is closed by the turn after it; that end is not part of the observation.
      const from = heardFrom > 0 && tokens[heardFrom] === tokenizer.endToken ? heardFrom + 1 : heardFrom;
      return tokenizer.decode(tokens.subarray(from, count));
    },
    index: replies,
  };
}

function rememberReplies(tokenizer: ScriptTokenizer): (text: string) => Int32Array {
  const known = new Map<string, Int32Array>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= KEPT_REPLIES) known.clear();
    const ids = encodeReply(tokenizer, text);
    known.set(text, ids);
    return ids;
  };
}

/** Replies that are never sampled are left out: they would leave tokens without probability on the board. */
function checkReplies(given: string | readonly ScriptedReply[]): readonly ScriptedReply[] {
  if (typeof given === "string") return [{ text: given, probability: 1 }];
  let sum = 0;
  for (const { text, probability } of given) {
    if (!(probability >= 0 && probability <= 1 + ROUNDING)) {
      throw bad(
        `gives ${JSON.stringify(text.slice(0, 60))} the probability ${probability}; it must be between 0 and 1`,
      );
    }
    sum += probability;
  }
  if (Math.abs(sum - 1) > ROUNDING) {
    throw bad(`gives ${given.length} replies probabilities that add up to ${sum}; they must give 1`);
  }
  return given.filter(({ probability }) => probability > 0);
}

function bad(what: string): EngineError {
  return new EngineError("bad-script", `The script ${what}.`);
}
